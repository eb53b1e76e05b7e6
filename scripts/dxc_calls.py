"""Calls the DirectX Shader Compiler library (DXC) by way of dxc-calls.c, for the scripts beside it."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(sys.argv[0]).name


def skip(why: str) -> None:
    print(f"{SCRIPT}: skipped: {why}")
    sys.exit(0)


def caller(folder: Path) -> list[str]:
    """The command that calls the library that DXC_LIBRARY names, built for it."""
    library = Path(os.environ.get("DXC_LIBRARY", ""))
    if not library.is_file():
        skip("DXC_LIBRARY names no library of DXC")
    library = library.resolve()
    is_dll = library.suffix.lower() == ".dll"
    names = [os.environ.get("CC"), "x86_64-w64-mingw32-gcc" if is_dll else "cc"]
    compiler = next((found for name in names if name and (found := shutil.which(name))), None)
    if not compiler:
        skip("no C compiler for the kind of library that DXC_LIBRARY is")
    program = folder / ("dxc-calls.exe" if is_dll else "dxc-calls")
    source = Path(__file__).with_name("dxc-calls.c")
    subprocess.run([compiler, "-O1", "-o", program, source, *([] if is_dll else ["-ldl"])], check=True)
    if not is_dll or sys.platform == "win32":
        return [str(program), str(library)]
    wine = shutil.which("wine64") or shutil.which("wine")
    if not wine:
        skip("DXC_LIBRARY is a DLL, and there is no Wine to run it")
    return [wine, str(program), "Z:" + str(library).replace("/", "\\")]


def ask(command: list[str], requests: list[tuple[str, str, str]], folder: Path) -> tuple[str, list[str]]:
    """DXC's version, and its answer to each request."""
    text = "".join(" ".join(request) + "\n" for request in requests)
    environment = {"WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree=;mshtml=;winemenubuilder.exe=", **os.environ}
    run = subprocess.run(command, input=text, capture_output=True, text=True, cwd=folder, env=environment)
    lines = run.stdout.splitlines()
    if run.returncode or len(lines) != 1 + len(requests):
        print(f"{SCRIPT}: DXC stopped; it must be 1.8.2505 or later\n{run.stderr[-2000:]}", file=sys.stderr)
        sys.exit(2)
    return lines[0], lines[1:]
