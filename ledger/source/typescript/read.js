// What TypeScript objects to, and a JavaScript that is no module may have: octal
// numbers and escapes.
const SLOPPY = [1121, 1487, 1488, 1489];

// faults are where a file does not parse, and in JavaScript also what only
// TypeScript knows.
function faults(file, typed) {
  const options = { noResolve: true, noLib: true, allowJs: true, types: [], target: ts.ScriptTarget.ESNext, jsx: ts.JsxEmit.Preserve };
  const host = {
    getSourceFile: (name) => name === file.fileName ? file : undefined, getDefaultLibFileName: () => "lib.d.ts", writeFile: () => {},
    getCurrentDirectory: () => "/", getCanonicalFileName: (f) => f, useCaseSensitiveFileNames: () => true, getNewLine: () => "\n",
    fileExists: (name) => name === file.fileName, readFile: () => undefined, directoryExists: () => false, getDirectories: () => [],
  };
  const program = ts.createProgram([file.fileName], options, host);
  const all = program.getSyntacticDiagnostics(file).filter((d) => typed || file.externalModuleIndicator || !SLOPPY.includes(d.code));
  return all.slice(0, 100).map((d) => ({
    line: file.getLineAndCharacterOfPosition(d.start || 0).line + 1,
    why: ts.flattenDiagnosticMessageText(d.messageText, " ") + " (TypeScript " + ts.version + ")",
  }));
}

function read(path, content) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch (e) {
    return { unread: "it is no text in UTF-8" };
  }
  if (/^\s*<\?xml|^\s*<!DOCTYPE TS/i.test(text)) return { unread: "it is XML" };
  if (/^(#!.*\n)?(\s|\/\/.*\n)*(\/\*[^]{0,2000}?|\/\/\s*)@flow\b/.test(text.slice(0, 4000))) return { unread: "it is written in Flow" };
  const ext = /(\.d)?\.[^./]*$/.exec(path)[0];
  let found = [];
  try {
    const typed = /\.[mc]?tsx?$/.test(path);
    const file = ts.createSourceFile("/file" + ext, text, ts.ScriptTarget.ESNext, true);
    found = faults(file, typed);
    return { ...new Module(path, file, typed).read(), faults: found };
  } catch (e) {
    if (found.length) return { faults: found };
    return { unread: "TypeScript gave up: " + (e instanceof RangeError ? "it is nested too deeply" : String(e && e.message).split("\n")[0].slice(0, 200)) };
  }
}

return { files: asked.files.map((f) => read(f.path, Buffer.from(f.content || "", "base64"))) };
