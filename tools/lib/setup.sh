# shellcheck shell=bash
# Shared by tools/run and tools/test: packages, configuration, build. Sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
preset=release     # of CMakePresets.json
build=$root/build  # its folder; tools/test --sanitize sets both
packages_file=$root/tools/packages.txt

say() { printf '%s\n' "$*" >&2; }

die() {
    say "$(basename "$0"): $1"
    shift
    if (($#)); then printf '    %s\n' "$@" >&2; fi
    exit 1
}

# step NAME LOG COMMAND...: runs with output to a log; a terminal shows the last line of the log, else a line per minute says
# how far a build is; a failure shows the end of the log
step() {
    local name=$1 log=$build/log/$2 job
    shift 2
    mkdir -p "$build/log"
    say "$name"
    "$@" >"$log" 2>&1 </dev/null &
    job=$!
    if [[ -t 2 ]]; then
        while kill -0 $job 2>/dev/null; do
            printf '\r\033[K    %.100s' "$(tail -n 1 "$log" | tr -cd '[:print:]')" >&2
            sleep 0.5
        done
        printf '\r\033[K' >&2
    else
        local shown=$SECONDS
        while kill -0 $job 2>/dev/null; do
            sleep 0.5
            ((SECONDS - shown < 60)) && continue
            shown=$SECONDS
            say "    $(grep -o '^\[[0-9/]*\]' "$log" | tail -n 1 || true) still at work"
        done
    fi
    wait $job && return
    tail -n 25 "$log" >&2
    die "failed: $name" "The whole log: $log"
}

package_lines() { awk -v kinds=" $* " '!/^#/ && NF && index(kinds, " " $2 " ")' "$packages_file"; }

# packages_for KIND...: the packages whose "needed-for" is one of the kinds, one per line
packages_for() { package_lines "$@" | cut -d ' ' -f 1; }

missing_packages() {
    local package
    for package in $(packages_for "$@"); do
        [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
    done
}

# apt COMMAND...: apt-get as root, unattended and without recommended extras
apt() {
    local sudo=()
    if ((EUID)); then sudo=(sudo); fi
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y --no-install-recommends "$@"
}

# ensure_packages KIND...: installs missing packages. A stamp file named by the hash of the list skips the check later.
ensure_packages() {
    local list stamp missing=()
    list=$(sha256sum "$packages_file" | cut -c 1-16)
    stamp=$build/.packages-$list-$(printf '%s' "$@")
    [[ -e $stamp || -n ${COALESCE_SKIP_PACKAGES:-} ]] && return
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        say "This system has no apt-get. Coalesce needs, by their names in Debian:"
        package_lines "$@" >&2
        die "install these with your package manager" "then call COALESCE_SKIP_PACKAGES=1 $0"
    fi
    mapfile -t missing < <(missing_packages "$@")
    if ((${#missing[@]})); then
        if ((EUID)); then
            command -v sudo >/dev/null ||
                die "missing packages, and neither root nor sudo to install them" \
                    "apt-get install --no-install-recommends ${missing[*]}"
            sudo -v || die "sudo was refused" "apt-get install --no-install-recommends ${missing[*]}"
        fi
        step "Reading the package lists" apt-update.log apt update
        step "Installing ${missing[*]}" apt-install.log apt install "${missing[@]}"
    fi
    mkdir -p "$build"
    touch "$stamp"
}

# configure [CMAKE ARGUMENT...]: the preset into its folder
configure() { (cd "$root" && step "Configuring" configure.log cmake --preset "$preset" "$@"); }

# compile TARGET...: builds the targets with the log in build/log
compile() {
    say "The build takes minutes the first time; log: $build/log/build.log"
    step Building build.log cmake --build "$build" --target "$@"
}
