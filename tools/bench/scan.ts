/** `headroom scan` over 10,000 manifests, and over a folder of a gigabyte of all that is read. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { runBench, temporaryFolder } from "./support/clean-up.ts";
import { ROOT } from "./support/paths.ts";
import { cpuSeconds, residentBytes } from "./support/process-figures.ts";
import { progress, report } from "./support/report.ts";

const MANIFESTS = 10_000;
const FOLDERS = 100;
const MB = 1_000_000;
const POLL_MS = 20;
/** Each kind's share of the gigabyte. */
const SHARES = { "audit.jsonl": 350, "metrics.txt": 150, "pods.json": 250, "rendered.yaml": 250 } as const;

await runBench(async () => {
  const folder = temporaryFolder();
  const manifests = join(folder, "manifests");
  writeManifests(manifests);
  const many = await scan(manifests);
  progress(`${MANIFESTS} manifests: ${many.seconds.toFixed(1)} s`);
  const gigabyte = join(folder, "gigabyte");
  mkdirSync(gigabyte);
  await writeFilled(
    join(gigabyte, "audit.jsonl"),
    SHARES["audit.jsonl"],
    (index) => `${auditEvent(index)}\n`,
  );
  await writeFilled(join(gigabyte, "metrics.txt"), SHARES["metrics.txt"], metricLines);
  await writeFilled(
    join(gigabyte, "rendered.yaml"),
    SHARES["rendered.yaml"],
    (index) => `---\n${manifest(index)}`,
  );
  await writeFilled(
    join(gigabyte, "pods.json"),
    SHARES["pods.json"],
    (index) =>
      `${index === 0 ? '{"apiVersion":"v1","kind":"List","items":[' : ",\n"}${JSON.stringify(pod(index))}`,
    "]}\n",
  );
  const large = await scan(gigabyte);
  report(
    [
      { what: "10,000 manifests (15 MB), start included", value: many.seconds, unit: "seconds", aim: 10 },
      { what: "  CPU", value: many.cpu, unit: "seconds", aim: null },
      { what: "  highest memory", value: many.peakBytes, unit: "bytes", aim: 500 * MB },
      { what: "a folder of 1 GB", value: large.seconds, unit: "seconds", aim: null },
      { what: "  CPU", value: large.cpu, unit: "seconds", aim: null },
      { what: "  highest memory", value: large.peakBytes, unit: "bytes", aim: 1000 * MB },
    ],
    [
      `the gigabyte: ${Object.entries(SHARES)
        .map(([name, megabytes]) => `${megabytes} MB ${name}`)
        .join(", ")}; objects are kept, packed, streams are not`,
    ],
  );
});

function writeManifests(folder: string): void {
  for (let index = 0; index < FOLDERS; index++) mkdirSync(join(folder, `${index}`), { recursive: true });
  for (let index = 0; index < MANIFESTS; index++) {
    writeFileSync(join(folder, `${index % FOLDERS}`, `app-${index}.yaml`), manifest(index));
  }
}

/** A file of about so many megabytes, of pieces. */
async function writeFilled(
  file: string,
  megabytes: number,
  piece: (index: number) => string,
  end = "",
): Promise<void> {
  const stream = createWriteStream(file);
  for (let index = 0, bytes = 0; bytes < megabytes * MB; index++) {
    const text = piece(index);
    bytes += text.length;
    if (!stream.write(text)) await once(stream, "drain");
  }
  stream.end(end);
  await finished(stream);
}

interface Measured {
  readonly seconds: number;
  readonly cpu: number;
  readonly peakBytes: number;
}

async function scan(folder: string): Promise<Measured> {
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [join(ROOT, "lib/cli/main.ts"), "scan", folder, "--output", "json", "--fail-on", "never"],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  let peakBytes = 0;
  let cpu = 0;
  const poll = setInterval(() => {
    peakBytes = Math.max(peakBytes, residentBytes(child.pid ?? 0).peak);
    cpu = Math.max(cpu, cpuSeconds(child.pid ?? 0));
  }, POLL_MS);
  const [code] = await once(child, "close");
  clearInterval(poll);
  if (code !== 0) throw new Error(`headroom scan ended with ${code}`);
  progress(`read: ${JSON.stringify((JSON.parse(text) as { figures: unknown }).figures)}`);
  return { seconds: (performance.now() - startedAt) / 1000, cpu, peakBytes };
}

function manifest(index: number): string {
  const name = `app-${index}`;
  return `apiVersion: apps/v1
kind: ${index % 3 === 0 ? "DaemonSet" : "Deployment"}
metadata:
  name: ${name}
  namespace: team-${index % 97}
  labels:
    app.kubernetes.io/name: ${name}
    app.kubernetes.io/managed-by: Helm
    helm.sh/chart: app-1.2.${index % 40}
spec:
  selector:
    matchLabels:
      app: ${name}
  template:
    metadata:
      labels:
        app: ${name}
      annotations:
        checksum/config: "0f3a9c${index}"
    spec:
      serviceAccountName: ${name}
      securityContext:
        runAsNonRoot: true
      containers:
        - name: main
          image: "registry.example.com/team/${name}:1.${index % 30}.0"
          imagePullPolicy: IfNotPresent
          args: ["--listen", "--log-level"]
          env:
            - name: NODE_NAME
              valueFrom:
                fieldRef:
                  fieldPath: spec.nodeName
            - name: LEVEL
              value: "info"
          ports:
            - name: http
              containerPort: 8080
              protocol: TCP
          livenessProbe:
            httpGet:
              path: /healthz
              port: http
            periodSeconds: 10
          resources:
            limits:
              cpu: 500m
              memory: 256Mi
            requests:
              cpu: 100m
              memory: 128Mi
      volumes:
        - name: config
          configMap:
            name: ${name}
`;
}

function pod(index: number): object {
  const name = `app-${index % 3000}`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `${name}-${index}`,
      namespace: `team-${index % 97}`,
      labels: { app: name },
      managedFields: [
        { manager: "kube-controller-manager", fieldsV1: { "f:metadata": { "f:labels": { "f:app": {} } } } },
      ],
    },
    spec: {
      nodeName: `node-${index % 5000}`,
      serviceAccountName: name,
      containers: [
        {
          name: "main",
          image: `registry.example.com/team/${name}:1.${index % 30}.0`,
          resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: "500m", memory: "256Mi" } },
          env: [{ name: "LEVEL", value: "info" }],
        },
      ],
    },
    status: {
      phase: "Running",
      podIP: `10.${index % 200}.${index % 250}.${index % 254}`,
      hostIP: "192.0.2.1",
    },
  };
}

function auditEvent(index: number): string {
  const at = new Date(1_790_000_000_000 + index * 7).toISOString();
  return JSON.stringify({
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "Metadata",
    auditID: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    stage: "ResponseComplete",
    requestURI: `/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-${index % 5000}&resourceVersion=0`,
    verb: "list",
    user: {
      username: `system:serviceaccount:team-${index % 97}:app-${index % 3000}`,
      groups: ["system:serviceaccounts"],
    },
    sourceIPs: ["192.0.2.1"],
    userAgent: "agent/1.0",
    objectRef: { resource: "pods", apiVersion: "v1" },
    responseStatus: { metadata: {}, code: 200 },
    requestReceivedTimestamp: at,
    stageTimestamp: at,
    annotations: { "authorization.k8s.io/decision": "allow" },
  });
}

function metricLines(index: number): string {
  const head = index === 0 ? "# TYPE apiserver_request_total counter\n" : "";
  return `${head}apiserver_request_total{code="200",resource="r${index % 4000}",verb="LIST",scope="cluster"} ${index}\n`;
}
