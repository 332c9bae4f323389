// What Go programs need of Windows 10 and Wine 8 does not have.
#include <windows.h>
#include <winternl.h>
#include <stdio.h>

BOOLEAN NTAPI SystemFunction036(PVOID, ULONG); // RtlGenRandom

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE p, SIZE_T n) { return SystemFunction036(p, (ULONG)n); }

// Wine 8 does not know the two classes that os.RemoveAll, os.Root.Remove and os.Root.Rename use, and answers so that Go does not
// go around them. Here they do what Windows 10 does for them, and for DeleteFile: an open file whose openers share deletion can
// be removed and replaced, and its name is free at once.
enum { dispose = 13, renames = 10, disposeEx = 64, renameEx = 65 };
typedef struct { ULONG flags; HANDLE root; ULONG length; WCHAR name[1]; } rename_info;
typedef NTSTATUS (NTAPI *set_info)(HANDLE, PIO_STATUS_BLOCK, PVOID, ULONG, ULONG);
static set_info set;
static LONG count;

static NTSTATUS rename_to(HANDLE h, PIO_STATUS_BLOCK io, HANDLE root, const WCHAR *name, ULONG length, BOOL replace) {
  char space[sizeof(rename_info) + 2048];
  rename_info *r = (rename_info *)space;
  if (length > 2048) return 0xC0000106; // STATUS_NAME_TOO_LONG
  memset(space, 0, sizeof space);
  r->flags = replace, r->root = root, r->length = length;
  memcpy(r->name, name, length);
  return set(h, io, r, sizeof space, renames);
}

// removed takes a file away from its name, and removes it once nobody has it open.
static NTSTATUS removed(HANDLE h, PIO_STATUS_BLOCK io) {
  FILE_STANDARD_INFORMATION info;
  WCHAR name[80];
  UCHAR yes = 1;
  NTSTATUS status = NtQueryInformationFile(h, io, &info, sizeof info, FileStandardInformation);
  if (status == 0 && !info.Directory && info.NumberOfLinks < 2) {
    int n = swprintf(name, 80, L"\\??\\C:\\windows\\temp\\deleted-%lu-%ld", GetCurrentProcessId(), InterlockedIncrement(&count));
    rename_to(h, io, 0, name, 2 * n, TRUE); // on another disk it keeps its name until then
  }
  return set(h, io, &yes, 1, dispose);
}

static NTSTATUS NTAPI set_information(HANDLE h, PIO_STATUS_BLOCK io, PVOID p, ULONG size, ULONG class) {
  if (class == disposeEx) return *(ULONG *)p & 1 ? removed(h, io) : 0;
  if (class != renameEx) return set(h, io, p, size, class);
  rename_info *r = p;
  NTSTATUS status = rename_to(h, io, r->root, r->name, r->length, r->flags & 1);
  if (status != (NTSTATUS)0xC0000022 || !(r->flags & 2)) return status; // STATUS_ACCESS_DENIED: it is open
  UNICODE_STRING name = {r->length, r->length, r->name};
  OBJECT_ATTRIBUTES at;
  InitializeObjectAttributes(&at, &name, OBJ_CASE_INSENSITIVE, r->root, 0);
  HANDLE old;
  status = NtOpenFile(&old, DELETE | SYNCHRONIZE | FILE_READ_ATTRIBUTES, &at, io, 7, FILE_SYNCHRONOUS_IO_NONALERT | FILE_NON_DIRECTORY_FILE | FILE_OPEN_REPARSE_POINT);
  if (status) return 0xC0000022;
  status = removed(old, io);
  NtClose(old);
  return status ? status : rename_to(h, io, r->root, r->name, r->length, TRUE);
}

static BOOL WINAPI delete_file(const WCHAR *path) {
  UNICODE_STRING name;
  OBJECT_ATTRIBUTES at;
  IO_STATUS_BLOCK io;
  FILE_BASIC_INFO basic = {0};
  HANDLE h;
  NTSTATUS status = (NTSTATUS)0xC000003B; // STATUS_OBJECT_PATH_SYNTAX_BAD
  if (RtlDosPathNameToNtPathName_U(path, &name, NULL, NULL)) {
    InitializeObjectAttributes(&at, &name, OBJ_CASE_INSENSITIVE, 0, 0);
    status = NtOpenFile(&h, DELETE | SYNCHRONIZE | FILE_READ_ATTRIBUTES, &at, &io, 7,
                        FILE_SYNCHRONOUS_IO_NONALERT | FILE_NON_DIRECTORY_FILE | FILE_OPEN_REPARSE_POINT);
    RtlFreeUnicodeString(&name);
  }
  if (status == 0) {
    GetFileInformationByHandleEx(h, FileBasicInfo, &basic, sizeof basic);
    status = basic.FileAttributes & FILE_ATTRIBUTE_READONLY ? (NTSTATUS)0xC0000121 : removed(h, &io); // STATUS_CANNOT_DELETE
    NtClose(h);
  }
  if (status) SetLastError(RtlNtStatusToDosError(status));
  return status == 0;
}

// Wine 8 says that it made a symbolic link, and makes none; Windows refuses whoever has not the privilege.
static BOOLEAN WINAPI no_link(const WCHAR *link, const WCHAR *target, DWORD flags) {
  SetLastError(ERROR_PRIVILEGE_NOT_HELD);
  return FALSE;
}

// replaced has a DLL give out another address for a function, and returns that which it had.
static FARPROC replaced(const char *dll, const char *function, void *by) {
  char *base = (char *)GetModuleHandleA(dll), *mine = by;
  FARPROC was = GetProcAddress((HMODULE)base, function);
  IMAGE_NT_HEADERS *head = (IMAGE_NT_HEADERS *)(base + ((IMAGE_DOS_HEADER *)base)->e_lfanew);
  IMAGE_EXPORT_DIRECTORY *exports = (IMAGE_EXPORT_DIRECTORY *)(base + head->OptionalHeader.DataDirectory[0].VirtualAddress);
  DWORD *at = (DWORD *)(base + exports->AddressOfFunctions), *names = (DWORD *)(base + exports->AddressOfNames), old;
  WORD *which = (WORD *)(base + exports->AddressOfNameOrdinals);
  if (mine < base || mine - base > 0xffffffffLL) return NULL; // the linker is told an address that both libraries reach
  for (DWORD i = 0; i < exports->NumberOfNames; i++)
    if (strcmp(base + names[i], function) == 0) {
      VirtualProtect(&at[which[i]], 4, PAGE_READWRITE, &old);
      at[which[i]] = mine - base;
      VirtualProtect(&at[which[i]], 4, old, &old);
      return was;
    }
  return NULL;
}

BOOL WINAPI DllMain(HINSTANCE dll, DWORD reason, LPVOID reserved) {
  if (reason != DLL_PROCESS_ATTACH) return TRUE;
  set = (set_info)replaced("ntdll", "NtSetInformationFile", set_information);
  return set && replaced("kernel32", "CreateSymbolicLinkW", no_link) && replaced("kernel32", "DeleteFileW", delete_file);
}
