# shellcheck shell=bash disable=SC2034 # Those who source it read wine, no_wine and mingw.
# For scripts that run Windows programs: Wine, and a prefix for it. Sourced from the repository's folder.

# No debug output, no offer to install Mono and Gecko, no menus.
export WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml,winemenubuilder.exe="

wine=()
no_wine=

# Sets `wine` to the command that runs programs of so many bits, 64 or 32, with the help of a folder; if there is none, `no_wine` to
# the reason.
find_wine() {
    local bits=$1 folder=$2 program
    mkdir -p "$folder"
    wine=()
    if [ "$bits" = 64 ]; then
        for program in wine64 /usr/lib/wine/wine64 wine; do
            if command -v "$program" >/dev/null; then
                wine=("$(command -v "$program")")
                return
            fi
        done
        no_wine="no Wine: install wine64"
        return 1
    fi
    local limits=(env WINEARCH=win32 timeout 300)
    if [ -x /usr/lib/wine/wine ]; then
        wine=("${limits[@]}" /usr/lib/wine/wine)
        return
    fi
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || ! command -v unshare >/dev/null; then
        no_wine="no 32-bit Wine: install wine32, or run this as root where apt-get works"
        return 1
    fi
    if ! unpack_wine32 "$folder"; then
        no_wine="no 32-bit Wine: its packages cannot be had here ($(tail -n 1 "$folder/apt.log"))"
        return 1
    fi
    # In namespaces of its own its files are laid over /usr/lib, and what it starts ends with it.
    # shellcheck disable=SC2016 # The inner shell expands it.
    wine=("${limits[@]}" unshare --mount --pid --fork --kill-child --mount-proc sh -c
        'mount -t overlay wine32 -o "lowerdir=$0/usr/lib:$0/lib:/usr/lib" /usr/lib && exec /usr/lib/wine/wine "$@"'
        "$folder/root")
    if ! "${wine[@]}" --version >"$folder/mount.log" 2>&1; then
        wine=()
        no_wine="no 32-bit Wine: it cannot be run here ($(tail -n 1 "$folder/mount.log"))"
        return 1
    fi
}

# 32-bit Wine from Debian's packages, without their installation, which would change the architectures of the machine's package
# manager. It gets no FreeType: with that, Debian's explorer.exe starts itself forever.
unpack_wine32() {
    local folder=$1 package
    [ ! -e "$folder/unpacked" ] || return 0
    local apt=(-o APT::Architecture=i386 -o APT::Architectures=i386 -o Dir::State::status=/dev/null
        -o Dir::State="$folder/apt" -o Dir::Cache="$folder/apt" -o APT::Sandbox::User=root)
    rm -rf "$folder"
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/debs" "$folder/root"
    # A source that fails need not be one of these packages'.
    apt-get "${apt[@]}" update -qq >"$folder/apt.log" 2>&1 || true
    (cd "$folder/debs" && apt-get "${apt[@]}" download -qq wine32 libwine libc6 libgcc-s1 libunwind8 zlib1g \
        libz-mingw-w64) >>"$folder/apt.log" 2>&1 || return 1
    for package in "$folder"/debs/*.deb; do
        dpkg -x "$package" "$folder/root" || return 1
    done
    # As the package's installation does it.
    cp "$folder/root/usr/i686-w64-mingw32/lib/zlib1.dll" "$folder/root/usr/lib/i386-linux-gnu/wine/i386-windows/" || return 1
    rm -rf "$folder/debs" "$folder/apt"
    touch "$folder/unpacked"
}

# Makes a prefix in the folder, with the Wine that was found for it and this MinGW.
make_prefix() {
    local folder=$1 mingw=$2
    [ ! -e "$folder/ready" ] || return 0
    rm -rf "$folder/prefix"
    WINEPREFIX=$folder/prefix timeout 300 "${wine[@]}" wineboot -i >"$folder/wineboot.log" 2>&1 || true
    local system=$folder/prefix/drive_c/windows/system32
    [ -f "$system/kernel32.dll" ] || { echo "Wine made no prefix: $folder/wineboot.log says why" >&2; return 1; }
    [ -e "$system/bcryptprimitives.dll" ] ||
        "$mingw-gcc" -O1 -shared -Wl,--kill-at -o "$system/bcryptprimitives.dll" \
            scripts/windows/bcryptprimitives.c -ladvapi32
    # user32.dll needs it, and with it whatever needs COM; wineboot copies only what Wine itself has.
    [ ! -d "$folder/root" ] || cp "$folder/root/usr/i686-w64-mingw32/lib/zlib1.dll" "$system"
    touch "$folder/ready"
}

# For an archive of Windows programs, or a package of them for NuGet: sets `wine`, WINEPREFIX to a prefix in a folder, whose server
# ends with the script, and `mingw` to the MinGW for its programs.
wine_for() {
    local archive=$1 folder=$2 bits
    case $archive in
    *-x64.zip | *.nupkg) bits=64 mingw=x86_64-w64-mingw32 ;;
    *-x86.zip) bits=32 mingw=i686-w64-mingw32 ;;
    *)
        echo "$archive: no -x64.zip, -x86.zip or .nupkg" >&2
        return 2
        ;;
    esac
    find_wine "$bits" "$folder/wine$bits" || { echo "$no_wine" >&2; return 1; }
    export WINEPREFIX=$folder/wine$bits/prefix
    trap 'wineserver -k >/dev/null 2>&1 || true' EXIT
    make_prefix "$folder/wine$bits" "$mingw"
}
