import { expect, test } from "vitest";
import { runRule, short } from "../../testing/audit.ts";
import { rolloutReadinessSharedDependency } from "./readiness-shared-dependency.ts";

const web = (readinessProbe: object, { kind = "Deployment", replicas = 3, liveness = {} } = {}) => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: "web", namespace: "apps" },
  spec: {
    ...(kind === "DaemonSet" ? {} : { replicas }),
    template: { spec: { containers: [{ name: "main", readinessProbe, ...liveness }] } },
  },
});
const find = (object: object, cluster: object = {}) =>
  short(runRule(rolloutReadinessSharedDependency, { objects: [object], cluster }));
const get = (path: string, more: object = {}) => ({ httpGet: { path, port: 8080, ...more } });
const exec = (...command: string[]) => ({ exec: { command } });

test.each([
  ["another host", get("/ready", { host: "db.apps.svc" })],
  ["a deep check", get("/healthcheck?deep=true")],
  ["a database in the path", get("/health/db")],
  ["a URL in a command", exec("sh", "-c", "curl -fs http://redis.cache:6379/ping")],
  ["a database client", exec("pg_isready", "-h", "postgres", "-p", "5432")],
  ["nc", exec("sh", "-c", "nc -z -w 2 kafka 9092")],
  ["a TCP socket of another host", { tcpSocket: { host: "kafka", port: 9092 } }],
])("reported: %s", (_, probe) => {
  expect(find(web(probe))).toEqual(["warning Deployment apps/web"]);
});

test.each([
  ["a plain path", get("/readyz")],
  ["the words within others", get("/dbus-ready/indeeper")],
  ["its own address", get("/ready", { host: "127.0.0.1" })],
  ["a URL of its own", exec("curl", "-f", "http://localhost:8080/ready")],
  ["a database asked for itself", exec("pg_isready", "-h", "127.0.0.1")],
  ["its own pod's address", exec("sh", "-c", "redis-cli -h $(POD_IP) ping")],
  ["a file", exec("cat", "/run/ready")],
])("not reported: %s", (_, probe) => {
  expect(find(web(probe))).toEqual([]);
});

test("one copy shares nothing, a DaemonSet does from two nodes on", () => {
  const deep = get("/ready?deep=1");
  expect(find(web(deep, { replicas: 1 }))).toEqual([]);
  expect(find(web(deep, { kind: "DaemonSet" }), { nodes: 40 })).toEqual(["warning DaemonSet apps/web"]);
  expect(find(web(deep, { kind: "DaemonSet" }), { nodes: 1 })).toEqual([]);
});

test("a liveness probe is another rule's matter", () => {
  expect(find(web(get("/readyz"), { liveness: { livenessProbe: get("/healthcheck?deep=true") } }))).toEqual(
    [],
  );
});
