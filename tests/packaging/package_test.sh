#!/usr/bin/env bash
# Installs the Debian package in a clean Debian, serves with the unit's own
# command line, upgrades, removes and purges it.
# Usage: package_test.sh <build directory>
# Needs root, for the package is installed in a chroot. What was downloaded once
# stays in the build directory.
set -euo pipefail

build=$(realpath "$1")
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")

skip() {
  echo "skipped: $*" >&2
  exit 77
}
if [ "$(id -u)" != 0 ]; then
  sudo -n true 2>/dev/null \
    || skip 'needs root for a chroot; run it as root, or let sudo ask no password'
  exec sudo -n "$0" "$@"
fi
# Whatever is mounted here goes with the last process of the namespace.
if [ "${PACKAGE_TEST_NAMESPACE:-}" != private ]; then
  unshare -m true 2>/dev/null \
    || skip 'needs a mount namespace; run it outside of a container, or in a' \
      'privileged one'
  export PACKAGE_TEST_NAMESPACE=private
  exec unshare -m --propagation private "$0" "$@"
fi
# Not of this machine's user.
export HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
export PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

step() {
  printf -- '-- %s\n' "$*"
}
fail() {
  printf 'FAILED: %s\n' "$*" >&2
  [ ! -e "$dir/serve.log" ] || cat "$dir/serve.log" >&2
  exit 1
}
equal() { # WHAT WANTED GOT
  [ "$2" = "$3" ] || fail "$1: expected \"$2\", got \"$3\""
}

dir=$(mktemp -d)
chmod 755 "$dir"
root=$dir/root
server=
cleanup() {
  [ -z "$server" ] || kill -9 "$server" 2>/dev/null || true
  umount -R "$root/proc" 2>/dev/null || true
  rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

package=
for file in "$build"/turnout_*.deb; do
  [ ! -e "$file" ] || [ "$file" -ot "${package:-/}" ] || package=$file
done
[ -n "$package" ] || fail 'there is no package; make it with: script/package dev'

# -- the package itself ---------------------------------------------------------

step 'the same build makes the same bytes'
(
  umask 022
  SOURCE_DATE_EPOCH=$(dpkg-deb --fsys-tarfile "$package" \
    | tar -xO ./usr/share/doc/turnout/changelog.Debian.gz | zcat \
    | dpkg-parsechangelog -l- --show-field Timestamp)
  export SOURCE_DATE_EPOCH
  cd "$build"
  cpack -G DEB --config CPackConfig.cmake -B "$dir/again" >"$dir/cpack.log" \
    2>&1 || { cat "$dir/cpack.log"; exit 1; }
)
cmp "$package" "$dir"/again/*.deb || fail 'another run of cpack makes another package; if the build was changed' \
    'since, run script/package dev first'
if dpkg-deb --fsys-tarfile "$package" | tar -xO ./usr/bin/turnout \
  | grep -qF "$source/"; then
  fail 'the program knows where it was built'
fi

step 'lintian'
lintian --fail-on error,warning "$package" || fail 'lintian found something'

step 'hardening'
mkdir "$dir/unpacked"
dpkg-deb -R "$package" "$dir/unpacked"
"$source/script/check-hardening" "$dir/unpacked/usr/bin/turnout" \
  "$dir"/unpacked/usr/lib/turnout/*.so

step 'an upgrade, of a higher version and with another conffile'
sed -i 's/^Version: .*/&+upgrade/' "$dir/unpacked/DEBIAN/control"
echo '# New in this version.' >>"$dir/unpacked/etc/turnout/turnout.toml"
(cd "$dir/unpacked" && find usr lib etc -type f -print0 | sort -z \
  | xargs -0 md5sum >DEBIAN/md5sums)
dpkg-deb --root-owner-group -Zgzip -z1 -b "$dir/unpacked" "$dir/upgrade.deb" \
  >/dev/null

# -- a clean Debian ---------------------------------------------------------------

depends=$(dpkg-deb -f "$package" Depends)
clean=$build/clean-debian-$(sha256sum <<<"$depends" | cut -c1-12).tar

in_root() {
  chroot "$root" "$@"
}
mount_proc() {
  mount -t proc proc "$root/proc" || fail 'cannot mount /proc in the chroot'
}
unpack_clean() {
  mkdir "$root"
  tar -xf "$clean" -C "$root"
  mount_proc
}

if [ ! -e "$clean" ]; then
  step 'making a clean Debian, once'
  # shellcheck disable=SC2016
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
    'Component: main' 'Codename: bookworm' | head -n 1)
  [ -n "$mirror" ] || fail 'apt knows no mirror of Debian 12 (bookworm)'
  mkdir -p "$build/debootstrap"
  debootstrap --variant=minbase --cache-dir="$build/debootstrap" bookworm \
    "$root" "$mirror" >"$dir/debootstrap.log" 2>&1 \
    || { tail "$dir/debootstrap.log" >&2; fail 'debootstrap failed'; }
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/turnout-test"
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod 755 "$root/usr/sbin/policy-rc.d"
  mountpoint -q "$root/proc" || mount_proc
  cp "$package" "$root/turnout.deb"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  # Kept, so that later runs need no network.
  in_root apt-get install -qq --no-install-recommends --download-only \
    -o APT::Keep-Downloaded-Packages=true -o APT::Sandbox::User=root \
    ./turnout.deb >"$dir/apt.log" 2>&1 \
    || { cat "$dir/apt.log" >&2; fail 'cannot download what the package needs'; }
  rm "$root/turnout.deb"
  umount "$root/proc"
  tar -cf "$clean.$$" -C "$root" .
  mv "$clean.$$" "$clean"
  rm -rf "$root"
fi
unpack_clean
cp "$package" "$root/first.deb"
cp "$dir/upgrade.deb" "$root/upgrade.deb"

install() { # FILE [option of dpkg]...
  local file=$1
  shift
  in_root apt-get install -y -qq --no-install-recommends --allow-downgrades \
    -o APT::Sandbox::User=root "${@/#/-oDpkg::Options::=}" "./$file" \
    </dev/null >"$dir/apt.log" 2>&1 \
    || { cat "$dir/apt.log" >&2; fail "cannot install $file"; }
}

# -- the service, by the unit's own words -----------------------------------------

settings=/etc/turnout/turnout.toml
word() { # KEY: the value in the unit
  sed -n "s/^$1=//p" "$root/lib/systemd/system/turnout.service"
}
# Within the chroot, where the user is known.
service=()
as_service() {
  # shellcheck disable=SC2016
  service=(chroot "$root" /bin/sh -c 'cd / && umask "$1" && u=$2 && g=$3 &&
    shift 3 && exec setpriv --reuid="$u" --regid="$g" --clear-groups \
      --no-new-privs --bounding-set=-all --inh-caps=-all "$@"'
    sh "$(word UMask)" "$(word User)" "$(word Group)")
}
in_service() {
  as_service
  "${service[@]}" "$@"
}
start() {
  local command
  read -ra command <<<"$(word ExecStart)"
  as_service
  # Or the line of the last start is taken for one of this.
  : >"$dir/serve.out"
  "${service[@]}" "${command[@]}" >"$dir/serve.out" 2>"$dir/serve.log" &
  server=$!
  local i
  for ((i = 0; i < 600; i++)); do
    grep -q '^listening' "$dir/serve.out" && break
    kill -0 "$server" 2>/dev/null || fail 'the service ended'
    sleep 0.1
  done
  address=$(sed -n 's|^listening public=\([^ ]*\).*|\1|p' "$dir/serve.out")
  [ -n "$address" ] || fail 'the service does not listen'
}
stop() {
  kill "$server"
  wait "$server" || fail "the service ended with $?"
  server=
}
visit() {
  equal 'a visit' '302 https://example.com/' "$(curl -s -o /dev/null \
    -A 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0' \
    -w '%{http_code} %{redirect_url}' "$address/packed")"
}
clicks() {
  curl -s "$address/api/v1/public/links" -H "X-API-Key: $key" \
    | jq -r '.items[] | select(.slug == "packed").total_clicks'
}
expect_clicks() {
  local i
  for ((i = 0; i < 300; i++)); do
    [ "$(clicks)" != "$1" ] || return 0
    sleep 0.1
  done
  fail "$1 clicks expected, there are \"$(clicks)\""
}
verify() {
  in_service turnout verify --config "$settings" >/dev/null \
    || fail 'verify found differences'
}

# Runs a block of docs/operations.md in the chroot, with the files in it for
# those of the machine; what it prints is in $dir/printed.
documented() { # MARK
  local block
  block=$(awk -v mark="these lines: $1 -->" '
    index($0, mark) { on = 1 }
    on && /^```/ { if (inside) exit; inside = 1; next }
    inside' "$source/docs/operations.md")
  [ -n "$block" ] || fail "docs/operations.md has no block \"$1\""
  in_root bash -euo pipefail -c "$block" >"$dir/printed" 2>"$dir/printed.err" \
    || { cat "$dir/printed.err" >&2; fail "the block \"$1\" fails"; }
}

step 'install'
install first.deb
grep -q 'turnout migrate' "$dir/apt.log" || fail 'it does not say what to do next'
equal 'the data directory' '700 turnout:turnout' \
  "$(in_root stat -c '%a %U:%G' /var/lib/turnout)"
equal 'the settings' '640 root:turnout' \
  "$(in_root stat -c '%a %U:%G' $settings)"
equal 'the shell of the user' /usr/sbin/nologin \
  "$(in_root getent passwd turnout | cut -d: -f7)"
equal 'the version' "turnout $(cat "$source/VERSION")" \
  "$(in_root turnout --version | sed 's/ (.*//')"
for file in usr/share/man/man1/turnout.1.gz usr/share/turnout/country.mmdb \
  usr/share/man/man5/turnout.toml.5.gz \
  usr/share/bash-completion/completions/turnout; do
  [ -s "$root/$file" ] || fail "$file is missing"
done
diff <(in_root turnout check-config --config $settings | sed 's/ *#.*//') \
  <(in_root turnout check-config --data-dir /var/lib/turnout | sed 's/ *#.*//') \
  || fail 'the settings of the package are no defaults'

step 'the unit'
# Among this machine's units, as the chroot has none.
sed "s|^ExecStart=|&$root|" "$root/lib/systemd/system/turnout.service" \
  >"$dir/turnout.service"
systemd-analyze verify --man=no "$dir/turnout.service" >"$dir/verify" 2>&1 \
  || { cat "$dir/verify" >&2; fail 'systemd does not like the unit'; }
equal 'what systemd says of the unit' '' "$(cat "$dir/verify")"
systemd-analyze security --offline=yes --threshold=25 --no-pager \
  "$root/lib/systemd/system/turnout.service" >"$dir/security" \
  || { cat "$dir/security"; fail 'the sandbox is too weak'; }
tail -n 1 "$dir/security"

step 'first account, first link, a visit'
sed -i -e 's/^#listen = .*/listen = "127.0.0.1:0"/' \
  -e 's/^#operator_listen = .*/operator_listen = "127.0.0.1:0"/' \
  "$root$settings"
# The documents start and stop by systemd, this test by the unit's words.
printf '#!/bin/sh\n' >"$root/usr/local/bin/systemctl"
chmod 755 "$root/usr/local/bin/systemctl"
documented 'first account'
key=$(grep '^svc_sk_' "$dir/printed")
start
! grep -q password "$dir/serve.out" || fail 'the first start made an account'
equal 'a new link' packed "$(curl -s "$address/api/v1/public/links" \
  -H "X-API-Key: $key" --json '{"name": "Packed", "slug": "packed", "variants": [
    {"label": "A", "destination_url": "https://example.com/", "weight": 100},
    {"label": "B", "destination_url": "https://example.com/b", "weight": 0}]}' \
  | jq -r .slug)"
visit
expect_clicks 1
equal 'files of others, or that others may read' '' "$(in_root find \
  /var/lib/turnout ! -user turnout -o -perm /077)"

step 'back up while it serves, go on, restore'
documented 'back up'
visit
expect_clicks 2
stop
documented restore
start
expect_clicks 1
verify
documented retention
equal 'what a purge of nothing says' '0 clicks purged, no total changed' \
  "$(cat "$dir/printed")"
expect_clicks 1
stop
rm -rf "$root/var/lib/turnout.old"
start

step 'upgrade while it serves'
install upgrade.deb --force-confdef --force-confold
visit
expect_clicks 2
stop
start
visit
expect_clicks 3
verify
grep -q '^listen = "127.0.0.1:0"' "$root$settings" \
  || fail 'the upgrade changed the settings'
grep -q 'New in this version' "$root$settings.dpkg-dist" \
  || fail 'the new settings are not there to look at'
equal 'the settings after the upgrade' '640 root:turnout' \
  "$(in_root stat -c '%a %U:%G' $settings)"
stop

step 'remove'
in_root apt-get remove -y -qq turnout >"$dir/apt.log" 2>&1 \
  || { cat "$dir/apt.log" >&2; fail 'cannot remove'; }
residue() {
  (cd "$root" && find . -xdev -path ./proc -prune -o -path ./var/lib/dpkg -prune \
    -o -path ./var/cache -prune -o -path ./var/lib/turnout/'*' -prune \
    -o -path ./etc/turnout/'*' -prune -o -iname '*turnout*' -print | sort \
    | { grep -v ./etc/dpkg/dpkg.cfg.d/turnout-test || true; })
}
equal 'what is left' './etc/turnout
./var/lib/turnout' "$(residue)"
[ -s "$root$settings" ] || fail 'the settings are gone'
[ -s "$root/var/lib/turnout/turnout.db" ] || fail 'the data are gone'

step 'install again: all is there'
install upgrade.deb --force-confdef --force-confold
start
expect_clicks 3
stop

step 'purge: the data stay'
purge() {
  in_root apt-get purge -y -qq turnout >"$dir/apt.log" 2>&1 \
    || { cat "$dir/apt.log" >&2; fail 'cannot purge'; }
}
purge
equal 'what is left' ./var/lib/turnout "$(residue)"
grep -q "data stay in /var/lib/turnout" "$dir/apt.log" \
  || fail 'the purge does not tell of the data'
equal 'the owner of the data' turnout \
  "$(in_root stat -c %U /var/lib/turnout/turnout.db)"

step 'purge without data: nothing stays'
rm -rf "$root/var/lib/turnout"
install first.deb
purge
equal 'what is left' '' "$(residue)"
! in_root getent passwd turnout || fail 'the user is left'
! grep -rq turnout "$root/etc" --exclude='*-' --exclude-dir=dpkg.cfg.d \
  || fail "$(grep -r turnout "$root/etc" --exclude='*-')"
step 'done'
