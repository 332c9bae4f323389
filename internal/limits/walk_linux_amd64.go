package main

import "syscall"

const fstatat = syscall.SYS_NEWFSTATAT
