-- CreateTable
CREATE TABLE "learned_agents" (
    "cluster_id" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "started_at" BIGINT NOT NULL,
    "stored_at" BIGINT NOT NULL,
    "encoding" TEXT NOT NULL,
    "content" BLOB NOT NULL,

    PRIMARY KEY ("cluster_id", "source", "started_at"),
    CONSTRAINT "learned_agents_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
