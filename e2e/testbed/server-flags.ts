import { join } from "node:path";

/** Files in a bed's folder that servers are pointed at. */
export const FILES = {
  authority: "ca.crt",
  authorityKey: "ca.key",
  servingCertificate: "apiserver.crt",
  servingKey: "apiserver.key",
  proxyCertificate: "front-proxy-client.crt",
  proxyKey: "front-proxy-client.key",
  signingKey: "sa.key",
  signingPublicKey: "sa.pub",
  tokens: "tokens.csv",
  adminKubeconfig: "admin.kubeconfig",
  controllerManagerKubeconfig: "kube-controller-manager.kubeconfig",
  schedulerKubeconfig: "kube-scheduler.kubeconfig",
  kwokKubeconfig: "kwok.kubeconfig",
} as const;

/** The one name that may speak for other users. */
export const PROXY_USER = "front-proxy-client";
export const SERVICE_ACCOUNT_ISSUER = "https://kubernetes.default.svc.cluster.local";

interface ApiServerFlagOptions {
  readonly directory: string;
  readonly port: number;
  readonly etcdUrl: string;
  readonly accessLog: boolean;
  /** Appended, so that they win over the flags here. */
  readonly more: readonly string[];
}

/** Flags that both ends of the supported range accept, Kubernetes 1.33 and 1.37. */
export function apiServerFlags({
  directory,
  port,
  etcdUrl,
  accessLog,
  more,
}: ApiServerFlagOptions): readonly string[] {
  const file = (name: keyof typeof FILES) => join(directory, FILES[name]);
  return [
    `--etcd-servers=${etcdUrl}`,
    // Collections are counted for their price in seats; a minute after start is too late for a test.
    "--etcd-count-metric-poll-period=4s",
    `--secure-port=${port}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    // A loopback address may not be published as an endpoint.
    "--endpoint-reconciler-type=none",
    "--service-cluster-ip-range=10.96.0.0/12",
    "--authorization-mode=Node,RBAC",
    `--client-ca-file=${file("authority")}`,
    `--tls-cert-file=${file("servingCertificate")}`,
    `--tls-private-key-file=${file("servingKey")}`,
    `--cert-dir=${directory}`,
    `--token-auth-file=${file("tokens")}`,
    // How the aggregator introduces its users to an extension API server.
    `--requestheader-client-ca-file=${file("authority")}`,
    `--requestheader-allowed-names=${PROXY_USER}`,
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--proxy-client-cert-file=${file("proxyCertificate")}`,
    `--proxy-client-key-file=${file("proxyKey")}`,
    `--service-account-issuer=${SERVICE_ACCOUNT_ISSUER}`,
    `--service-account-key-file=${file("signingPublicKey")}`,
    `--service-account-signing-key-file=${file("signingKey")}`,
    // Pods name ServiceAccounts that nobody makes when no controller manager runs.
    "--disable-admission-plugins=ServiceAccount",
    "--allow-privileged=true",
    ...(accessLog ? ["--vmodule=httplog=3"] : []),
    ...more,
  ];
}

interface EtcdFlagOptions {
  readonly directory: string;
  readonly clientPort: number;
  readonly peerPort: number;
}

export function etcdFlags({ directory, clientPort, peerPort }: EtcdFlagOptions): readonly string[] {
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  const clientUrl = `http://127.0.0.1:${clientPort}`;
  return [
    `--data-dir=${join(directory, "etcd")}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    // Nothing here outlives the test, so nothing waits for the disk.
    "--unsafe-no-fsync",
    "--max-txn-ops=2048",
    "--quota-backend-bytes=8589934592",
    "--log-level=warn",
  ];
}

/** What the controller manager and the scheduler have in common. */
function controllerFlags(directory: string, kubeconfigFile: string, port: number): readonly string[] {
  const kubeconfig = join(directory, kubeconfigFile);
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    "--leader-elect=false",
    // The default of 20 requests a second would make a rollout of a few hundred pods take minutes.
    "--kube-api-qps=300",
    "--kube-api-burst=600",
  ];
}

export function schedulerFlags(directory: string, port: number): readonly string[] {
  return controllerFlags(directory, FILES.schedulerKubeconfig, port);
}

export function controllerManagerFlags(directory: string, port: number): readonly string[] {
  return [
    ...controllerFlags(directory, FILES.controllerManagerKubeconfig, port),
    `--cert-dir=${directory}`,
    "--use-service-account-credentials",
    `--service-account-private-key-file=${join(directory, FILES.signingKey)}`,
    `--root-ca-file=${join(directory, FILES.authority)}`,
    // Hollow nodes send no heartbeats, and would all be tainted.
    "--controllers=*,-node-lifecycle-controller",
  ];
}

export function kwokFlags(directory: string, port: number, stagesPath: string): readonly string[] {
  return [
    `--kubeconfig=${join(directory, FILES.kwokKubeconfig)}`,
    "--manage-all-nodes",
    `--server-address=127.0.0.1:${port}`,
    // No leases: thousands of hollow nodes would write hundreds of them a second.
    "--node-lease-duration-seconds=0",
    `--config=${stagesPath}`,
  ];
}
