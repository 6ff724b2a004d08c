-- Samples, by plain SQL: Prisma knows nothing of these tables. Times are seconds since the epoch.

-- One row per series of a cluster. Parts of the key that do not apply are empty strings.
CREATE TABLE "series" (
    "id" INTEGER NOT NULL PRIMARY KEY,
    "cluster" INTEGER NOT NULL REFERENCES "clusters" ("number") ON DELETE CASCADE,
    "metric" TEXT NOT NULL,
    "server_id" TEXT NOT NULL,
    "priority_level_name" TEXT NOT NULL,
    "reject_reason" TEXT NOT NULL,
    -- First and last instant of generated points; NULL where every point was measured.
    "generated_from" INTEGER,
    "generated_to" INTEGER
);
CREATE UNIQUE INDEX "series_key" ON "series"
    ("cluster", "metric", "server_id", "priority_level_name", "reject_reason");

-- How far a cluster's samples are rolled up and deleted (both exclusive), and from where a table covers a range alone,
-- since coarser tables reach further back (0: from the beginning).
CREATE TABLE "sample_progress" (
    "cluster" INTEGER NOT NULL PRIMARY KEY REFERENCES "clusters" ("number") ON DELETE CASCADE,
    "five_minutes_to" INTEGER NOT NULL,
    "hourly_to" INTEGER NOT NULL,
    "fine_from" INTEGER NOT NULL,
    "five_minutes_from" INTEGER NOT NULL,
    "fine_deleted_to" INTEGER NOT NULL
);

-- As scraped. The rows of one pass lie side by side: a pass touches one or two pages however many series it has.
CREATE TABLE "samples_fine" (
    "cluster" INTEGER NOT NULL,
    "ts" INTEGER NOT NULL,
    "series" INTEGER NOT NULL,
    "value" REAL NOT NULL,
    PRIMARY KEY ("cluster", "ts", "series")
) WITHOUT ROWID;

-- Rolled up: 24 buckets of one series in a block (lib/db/samples/block.ts). "ts" is the start of the block.
CREATE TABLE "samples_five_minutes" (
    "series" INTEGER NOT NULL,
    "ts" INTEGER NOT NULL,
    "block" BLOB NOT NULL,
    PRIMARY KEY ("series", "ts")
) WITHOUT ROWID;

CREATE TABLE "samples_hourly" (
    "series" INTEGER NOT NULL,
    "ts" INTEGER NOT NULL,
    "block" BLOB NOT NULL,
    PRIMARY KEY ("series", "ts")
) WITHOUT ROWID;
