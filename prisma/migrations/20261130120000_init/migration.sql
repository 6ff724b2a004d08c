-- CreateTable
CREATE TABLE "store_meta" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "created_at" BIGINT NOT NULL,
    "aside_path" TEXT
);

-- CreateTable
CREATE TABLE "clusters" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "number" INTEGER NOT NULL,
    "uid" TEXT,
    "name" TEXT NOT NULL,
    "role" TEXT,
    "labels_json" TEXT NOT NULL,
    "is_demo" BOOLEAN NOT NULL,
    "added_at" BIGINT NOT NULL,
    "removed_at" BIGINT,
    "unreachable_since" BIGINT,
    "permissions_json" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "targets" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "cluster_id" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "kubeconfig_path" TEXT,
    "context" TEXT,
    "name" TEXT NOT NULL,
    "role" TEXT,
    "labels_json" TEXT NOT NULL,
    "is_insecure" BOOLEAN NOT NULL,
    "is_demo" BOOLEAN NOT NULL,
    "added_at" BIGINT NOT NULL,
    "removed_at" BIGINT,
    CONSTRAINT "targets_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "part_states" (
    "cluster_id" TEXT NOT NULL,
    "part" TEXT NOT NULL,
    "started_at" BIGINT NOT NULL,
    "outcome_json" TEXT NOT NULL,
    "value_at" BIGINT,
    "next_attempt_at" BIGINT,
    "period_seconds" REAL NOT NULL,

    PRIMARY KEY ("cluster_id", "part"),
    CONSTRAINT "part_states_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "part_values" (
    "cluster_id" TEXT NOT NULL,
    "part" TEXT NOT NULL,
    "value_at" BIGINT NOT NULL,
    "encoding" TEXT NOT NULL,
    "content" BLOB NOT NULL,

    PRIMARY KEY ("cluster_id", "part"),
    CONSTRAINT "part_values_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "cluster_summaries" (
    "cluster_id" TEXT NOT NULL PRIMARY KEY,
    "at" BIGINT NOT NULL,
    "summary_json" TEXT NOT NULL,
    CONSTRAINT "cluster_summaries_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "scrapes" (
    "cluster_id" TEXT NOT NULL,
    "started_at" BIGINT NOT NULL,
    "duration_seconds" REAL NOT NULL,
    "status" TEXT NOT NULL,
    "requests" INTEGER NOT NULL,
    "wire_bytes" BIGINT NOT NULL,
    "decoded_bytes" BIGINT NOT NULL,
    "signature" TEXT NOT NULL,
    "parts_json" TEXT NOT NULL,

    PRIMARY KEY ("cluster_id", "started_at"),
    CONSTRAINT "scrapes_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "events" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "cluster_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "at" BIGINT NOT NULL,
    "subject" TEXT NOT NULL,
    "lead" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "before" TEXT,
    "after" TEXT,
    "is_generated" BOOLEAN NOT NULL,
    CONSTRAINT "events_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "acknowledgements" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "reviewer" TEXT NOT NULL,
    "event_id" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,
    "undone_at" BIGINT,
    CONSTRAINT "acknowledgements_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "connection_tests" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "kubeconfig_path" TEXT NOT NULL,
    "context" TEXT,
    "state" TEXT NOT NULL,
    "requested_at" BIGINT NOT NULL,
    "claimed_at" BIGINT,
    "answered_at" BIGINT,
    "result_json" TEXT
);

-- CreateTable
CREATE TABLE "collector_state" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "pid" INTEGER NOT NULL,
    "started_at" BIGINT NOT NULL,
    "heartbeat_at" BIGINT NOT NULL,
    "version" TEXT NOT NULL,
    "stopped_at" BIGINT,
    "crashes" INTEGER NOT NULL,
    "last_crash_at" BIGINT,
    "last_crash" TEXT
);

-- CreateTable
CREATE TABLE "incident_pace" (
    "cluster_id" TEXT NOT NULL PRIMARY KEY,
    "until" BIGINT NOT NULL,
    CONSTRAINT "incident_pace_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE UNIQUE INDEX "clusters_number_key" ON "clusters"("number");

-- CreateIndex
CREATE UNIQUE INDEX "clusters_uid_key" ON "clusters"("uid");

-- CreateIndex
CREATE INDEX "targets_cluster_id_idx" ON "targets"("cluster_id");

-- CreateIndex
CREATE INDEX "scrapes_started_at_cluster_id_requests_wire_bytes_idx" ON "scrapes"("started_at", "cluster_id", "requests", "wire_bytes");

-- CreateIndex
CREATE INDEX "events_at_id_idx" ON "events"("at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "events_cluster_id_at_kind_subject_key" ON "events"("cluster_id", "at", "kind", "subject");

-- CreateIndex
CREATE INDEX "acknowledgements_reviewer_event_id_undone_at_idx" ON "acknowledgements"("reviewer", "event_id", "undone_at");

-- CreateIndex
CREATE INDEX "acknowledgements_reviewer_undone_at_at_idx" ON "acknowledgements"("reviewer", "undone_at", "at");

-- CreateIndex
CREATE INDEX "acknowledgements_event_id_idx" ON "acknowledgements"("event_id");

-- CreateIndex
CREATE INDEX "connection_tests_state_requested_at_idx" ON "connection_tests"("state", "requested_at");
