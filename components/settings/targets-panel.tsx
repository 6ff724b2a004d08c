"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { clusterHref } from "@/components/clusters/cluster-frame";
import { ScrollRegion } from "@/components/tables/scroll-region";
import { Instant } from "@/components/time/instant";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Panel } from "@/components/ui/panel";
import { describeError, EmptyState } from "@/components/ui/panel-states";
import { SeverityMark } from "@/components/ui/severity";
import type { SettingsClustersResponse, TargetRow } from "@/lib/contracts/settings";
import { removeTargetMutation, settingsClustersQuery } from "@/lib/queries/settings";
import { countPermissions, PermissionList } from "./permission-list";

const SOURCES: Readonly<Record<TargetRow["source"], string>> = {
  flag: "--kubeconfig",
  environment: "HEADROOM_KUBECONFIG",
  "configuration-file": "configuration file",
  page: "this page",
  "in-cluster": "in-cluster account",
  demo: "demo fleet",
};

/** Clusters that are read: who named each, which of two sources wins, and what may be read there. */
export function TargetsPanel({ response }: { response: SettingsClustersResponse }) {
  const { targets, configurationFile } = response;
  const sorted = targets.toSorted((a, b) =>
    a.clusterName.localeCompare(b.clusterName, "en", { numeric: true }),
  );
  const [openId, setOpenId] = useState<string | null>(null);
  const [removing, setRemoving] = useState<TargetRow | null>(null);
  return (
    <Panel
      title="Clusters"
      meta={configurationFile === null ? "no configuration file" : `configuration file ${configurationFile}`}
      foot="Where the configuration file and this page name the same cluster, the file wins. A cluster is known by the UID of its kube-system namespace, whatever its context is called."
    >
      {targets.length === 0 ? (
        <EmptyState lead="No cluster is named yet">
          Add one below, or name a kubeconfig at the start.
        </EmptyState>
      ) : (
        <ScrollRegion label="Clusters">
          <table className="table">
            <caption className="sr-only">Clusters and where each was named</caption>
            <thead>
              <tr>
                <th scope="col">Cluster</th>
                <th scope="col">Named by</th>
                <th scope="col">Kubeconfig and context</th>
                <th scope="col">Permissions</th>
                <th scope="col" className="n">
                  Since
                </th>
                <th scope="col">
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            {sorted.map((target) => (
              <TargetRows
                key={target.targetId}
                target={target}
                isOpen={openId === target.targetId}
                onToggle={() => setOpenId(openId === target.targetId ? null : target.targetId)}
                onRemove={() => setRemoving(target)}
              />
            ))}
          </table>
        </ScrollRegion>
      )}
      <RemoveDialog target={removing} onClose={() => setRemoving(null)} />
    </Panel>
  );
}

function TargetRows(props: {
  target: TargetRow;
  isOpen: boolean;
  onToggle: () => void;
  onRemove: () => void;
}) {
  const { target, isOpen, onToggle, onRemove } = props;
  const detailsId = `permissions-${target.targetId}`;
  const isUsed = target.overriddenBy === null;
  return (
    <tbody>
      <tr className={isUsed ? undefined : "stale"}>
        <th scope="row">
          <SeverityMark kind={target.state} isWordHidden isQuiet />{" "}
          <Link href={clusterHref(target.clusterId)} className="font-medium">
            {target.clusterName}
          </Link>
        </th>
        <td className="wrap min-w-[150px]!">
          {SOURCES[target.source]}
          {!isUsed && (
            <span className="block text-s text-unknown">
              not used: {target.overriddenBy} names the same cluster and wins
            </span>
          )}
        </td>
        <td className="wrap">
          {target.kubeconfigPath !== null && (
            <span className="font-mono text-s break-all">{target.kubeconfigPath}</span>
          )}
          {target.context !== null && <span className="block text-s text-fg-3">{target.context}</span>}
          {target.isInsecure && (
            <span className="block text-s">
              <SeverityMark
                kind="warning"
                word="insecure-skip-tls-verify: the server's certificate is not checked"
              />
            </span>
          )}
        </td>
        <td>
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={detailsId}
            onClick={onToggle}
            className="min-h-6 text-accent hover:underline"
          >
            {countPermissions(target.permissions)}
            <span className="sr-only"> in {target.clusterName}</span>
          </button>
        </td>
        <td className="n text-fg-3">
          <Instant at={target.addedAt} look="date" />
        </td>
        <td className="n">
          {target.canRemove && (
            <Button isSmall onClick={onRemove}>
              Remove<span className="sr-only"> {target.clusterName}</span>
            </Button>
          )}
        </td>
      </tr>
      {isOpen && (
        <tr id={detailsId}>
          <td colSpan={6} className="bg-sunken p-0!">
            <PermissionList
              permissions={target.permissions}
              caption={`Permissions in ${target.clusterName}`}
            />
          </td>
        </tr>
      )}
    </tbody>
  );
}

function RemoveDialog({ target, onClose }: { target: TargetRow | null; onClose: () => void }) {
  const client = useQueryClient();
  const remove = useMutation({
    ...removeTargetMutation(),
    onSuccess: async () => {
      await client.invalidateQueries(settingsClustersQuery());
      onClose();
    },
  });
  const close = () => {
    remove.reset();
    onClose();
  };
  return (
    <Dialog
      title={`Stop reading ${target?.clusterName ?? ""}?`}
      isOpen={target !== null}
      onOpenChange={(isOpen) => {
        if (!isOpen) close();
      }}
    >
      <div className="grid gap-3 px-4 pt-2 pb-4">
        <p className="text-fg-2">
          Its stored history stays until it is older than the retention. Adding the same cluster again picks
          it up.
        </p>
        {remove.isError && (
          <p role="alert" className="text-error">
            Not removed. {describeError(remove.error).message}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Keep it</Button>
          <Button
            look="primary"
            disabled={remove.isPending}
            onClick={() => {
              if (target !== null) remove.mutate(target.targetId);
            }}
          >
            Stop reading it
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
