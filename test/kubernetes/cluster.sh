#!/usr/bin/env bash
# Copyright 2026 The caddy-a2a-guard Authors
# SPDX-License-Identifier: Apache-2.0
#
# A real cluster of one node, this machine, in a network namespace of its own, without
# a container engine or a registry. Needs root on Linux and, of Debian: etcd-server
# containerd runc containernetworking-plugins iptables conntrack iproute2 openssl.
#
#	cluster.sh <folder> <image.oci.tar>...	starts it with the images, runs the proof, ends it

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$("$here/binaries.sh" kube-apiserver kubectl kube-controller-manager kube-scheduler kubelet kube-proxy)
home=$(realpath -m "$1")
shift
net=a2a-cluster
node=10.232.0.1
in_net=(nsenter "--net=/run/netns/$net")
ctr=(ctr -a "$home/containerd.sock" -n k8s.io)

started=()
start() {
	local name=$1
	shift
	"${in_net[@]}" "$@" >"$home/logs/$name.log" 2>&1 &
	started+=($!)
}

stop() {
	set +e
	for ((i = ${#started[@]} - 1; i > 2; i--)); do kill "${started[i]}" 2>/dev/null; done # all but etcd, API server, containerd
	sleep 2
	for task in $("${ctr[@]}" tasks ls -q); do "${ctr[@]}" tasks kill -s 9 "$task"; done
	sleep 1
	pkill -f "containerd-shim-runc-v2 .*$home/containerd.sock"
	for ((i = 2; i >= 0; i--)); do kill "${started[i]}" 2>/dev/null; done
	wait
	grep -o " $home/[^ ]*" /proc/mounts | sort -r | xargs -r umount
	find /sys/fs/cgroup -depth -path '*/kubepods*' -type d -exec rmdir {} + 2>/dev/null
	ip netns delete "$net"
}
trap stop EXIT

mkdir -p "$home"/{logs,certs,cni}
ip netns add "$net"
ip -n "$net" link set lo up
ip -n "$net" link add node0 type bridge
ip -n "$net" addr add "$node/24" dev node0
ip -n "$net" link set node0 up
ip -n "$net" route add default dev node0
"${in_net[@]}" sysctl -qw net.ipv4.ip_forward=1

openssl genrsa -out "$home/certs/sa.key" 2048 2>/dev/null
openssl rsa -in "$home/certs/sa.key" -pubout -out "$home/certs/sa.pub" 2>/dev/null
echo "administrator,administrator,administrator,system:masters" >"$home/tokens.csv"
export KUBECONFIG="$home/kubeconfig"
cat >"$KUBECONFIG" <<-END
	apiVersion: v1
	kind: Config
	clusters: [{name: proof, cluster: {server: "https://127.0.0.1:6443", insecure-skip-tls-verify: true}}]
	users: [{name: administrator, user: {token: administrator}}]
	contexts: [{name: proof, context: {cluster: proof, user: administrator}}]
	current-context: proof
END
cat >"$home/containerd.toml" <<-END
	version = 2
	root = "$home/containerd"
	state = "$home/containerd-state"
	oom_score = 0
	[grpc]
	  address = "$home/containerd.sock"
	[plugins."io.containerd.grpc.v1.cri"]
	  sandbox_image = "docker.io/library/pause:dev"
	  restrict_oom_score_adj = true
	  disable_apparmor = true
	  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
	    runtime_type = "io.containerd.runc.v2"
	  [plugins."io.containerd.grpc.v1.cri".cni]
	    bin_dir = "/usr/lib/cni"
	    conf_dir = "$home/cni"
END
cat >"$home/cni/bridge.conflist" <<-END
	{"cniVersion": "0.4.0", "name": "$net", "plugins": [{"type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true,
	 "ipam": {"type": "host-local", "dataDir": "$home/addresses", "ranges": [[{"subnet": "10.234.0.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
END
cat >"$home/kubelet.yaml" <<-END
	apiVersion: kubelet.config.k8s.io/v1beta1
	kind: KubeletConfiguration
	address: $node
	authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
	authorization: {mode: AlwaysAllow}
	cgroupDriver: cgroupfs
	failSwapOn: false
	failCgroupV1: false
	featureGates: {KubeletInUserNamespace: true}
	containerRuntimeEndpoint: unix://$home/containerd.sock
	resolvConf: ""
	podLogsDir: $home/pods
END

# The order counts for stop.
start etcd etcd --data-dir "$home/etcd" --unsafe-no-fsync
start apiserver "$bin/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 --advertise-address=$node --cert-dir="$home/certs" \
	--service-cluster-ip-range=10.233.0.0/24 --token-auth-file="$home/tokens.csv" --authorization-mode=RBAC \
	--service-account-issuer=https://kubernetes.default.svc --service-account-key-file="$home/certs/sa.pub" --service-account-signing-key-file="$home/certs/sa.key"
start containerd containerd -c "$home/containerd.toml"
until "${in_net[@]}" "$bin/kubectl" get --raw /readyz >/dev/null 2>&1 && "${ctr[@]}" version >/dev/null 2>&1; do sleep 0.5; done
for image in "$@"; do "${ctr[@]}" images import "$image" >/dev/null; done
start controllers "$bin/kube-controller-manager" --kubeconfig="$KUBECONFIG" --service-account-private-key-file="$home/certs/sa.key" --root-ca-file="$home/certs/apiserver.crt" --leader-elect=false
start scheduler "$bin/kube-scheduler" --kubeconfig="$KUBECONFIG" --leader-elect=false
start kubelet "$bin/kubelet" --kubeconfig="$KUBECONFIG" --config="$home/kubelet.yaml" --root-dir="$home/kubelet" --cert-dir="$home/certs" --hostname-override=node1 --node-ip=$node
until "${in_net[@]}" "$bin/kubectl" get node node1 2>/dev/null | grep -qw Ready; do sleep 0.5; done
start proxy "$bin/kube-proxy" --kubeconfig="$KUBECONFIG" --hostname-override=node1 --bind-address=$node --conntrack-max-per-core=0 --conntrack-tcp-timeout-established=0 --conntrack-tcp-timeout-close-wait=0

cd "$here"
go test -c -tags cluster -o "$home/proof.test" .
PATH="$bin:$PATH" "${in_net[@]}" "$home/proof.test" -test.v -test.run InACluster -test.timeout 10m
