# shellcheck shell=bash disable=SC2034 # Those who source it read wine.
# For scripts that run Windows programs: where Wine is, and a prefix for it. Sourced from the repository's folder.

# No debug output, no offer to install Mono and Gecko, no menus.
export WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml,winemenubuilder.exe="

wine=
find_wine() {
    for program in wine64 /usr/lib/wine/wine64 wine; do
        if command -v "$program" >/dev/null; then
            wine=$(command -v "$program")
            return
        fi
    done
    return 1
}

# Makes a prefix with the help of the command in the other arguments, which is Wine.
make_prefix() {
    local folder=$1 mingw=$2
    shift 2
    [ -e "$folder/ready" ] && return
    rm -rf "$folder/prefix"
    WINEPREFIX=$folder/prefix "$@" wineboot -i >"$folder/wineboot.log" 2>&1 || true
    local system=$folder/prefix/drive_c/windows/system32
    [ -f "$system/kernel32.dll" ] || { echo "Wine made no prefix: $folder/wineboot.log says why" >&2; return 1; }
    [ -e "$system/bcryptprimitives.dll" ] ||
        "$mingw-gcc" -O1 -shared -Wl,--kill-at -o "$system/bcryptprimitives.dll" \
            scripts/windows/bcryptprimitives.c -ladvapi32
    touch "$folder/ready"
}
