-- CreateTable
CREATE TABLE "fan_outs" (
    "cluster_id" TEXT NOT NULL PRIMARY KEY,
    "at" BIGINT NOT NULL,
    "inputs_hash" TEXT NOT NULL,
    "summary_json" TEXT NOT NULL,
    "encoding" TEXT NOT NULL,
    "content" BLOB NOT NULL,
    CONSTRAINT "fan_outs_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
