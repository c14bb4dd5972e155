# The cgroups under which a test node keeps its containers, in each hierarchy of this machine.
# shellcheck shell=bash

cgroup_name=draguard-node

# Every hierarchy that containers use: one for version 2, one for each controller for version 1.
cgroup_roots() {
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    echo /sys/fs/cgroup
  else
    findmnt -rn -t cgroup,cgroup2 -o TARGET | grep '^/sys/fs/cgroup/' || true
  fi
}

make_cgroups() {
  local root
  for root in $(cgroup_roots); do
    mkdir -p "$root/$cgroup_name"
    if [ -e "$root/cpuset.cpus" ]; then
      cat "$root/cpuset.cpus" >"$root/$cgroup_name/cpuset.cpus"
      cat "$root/cpuset.mems" >"$root/$cgroup_name/cpuset.mems"
    fi
    if [ "$root" = /sys/fs/cgroup ]; then
      sed 's/[^ ]*/+&/g' "$root/cgroup.controllers" >"$root/cgroup.subtree_control"
    fi
  done
}

# Processes that were just killed may hold their cgroup for a moment.
remove_cgroups() {
  local tries=50
  while [ $tries -gt 0 ] && ! remove_cgroups_once; do
    tries=$((tries - 1))
    sleep 0.1
  done
  [ $tries -gt 0 ] || { echo "cgroups are still in use"; return 1; }
}

remove_cgroups_once() {
  local root left=0
  for root in $(cgroup_roots); do
    [ -d "$root/$cgroup_name" ] || continue
    find "$root/$cgroup_name" -depth -type d -exec rmdir {} + 2>/dev/null || left=1
  done
  return $left
}
