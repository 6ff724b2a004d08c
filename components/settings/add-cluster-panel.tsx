"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { clusterHref } from "@/components/clusters/cluster-frame";
import { Button, buttonClass } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { Panel, PanelBody } from "@/components/ui/panel";
import { describeError } from "@/components/ui/panel-states";
import {
  AddTargetRequestSchema,
  ConnectionTestRequestSchema,
  type ConnectionTestResponse,
} from "@/lib/contracts/settings";
import { ProblemError } from "@/lib/queries/fetch-json";
import {
  addTargetMutation,
  connectionTestQuery,
  settingsClustersQuery,
  startConnectionTestMutation,
} from "@/lib/queries/settings";
import { PermissionList } from "./permission-list";
import { prepareTestRow } from "./prepare-connection-test";

interface Fields {
  readonly kubeconfigPath: string;
  readonly context: string;
  readonly name: string;
  readonly role: string;
}

const EMPTY: Fields = { kubeconfigPath: "", context: "", name: "", role: "" };
type FieldErrors = Partial<Record<keyof Fields, string>>;

/** Adds a cluster by a path on the server and a context. The file stays where it is; its content is never uploaded. */
export function AddClusterPanel() {
  const client = useQueryClient();
  const [fields, setFields] = useState<Fields>(EMPTY);
  const [errors, setErrors] = useState<FieldErrors>({});
  const [testId, setTestId] = useState<string | null>(null);
  const start = useMutation({ ...startConnectionTestMutation(), onSuccess: ({ id }) => setTestId(id) });
  const add = useMutation({
    ...addTargetMutation(),
    onSuccess: async () => {
      setFields(EMPTY);
      setTestId(null);
      await client.invalidateQueries(settingsClustersQuery());
    },
  });
  const change = (field: keyof Fields) => (value: string) => {
    setFields({ ...fields, [field]: value });
    setErrors({ ...errors, [field]: undefined });
  };
  const testConnection = () => {
    const context = fields.context.trim();
    const parsed = ConnectionTestRequestSchema.safeParse({
      kubeconfigPath: fields.kubeconfigPath,
      context: context === "" ? null : context,
    });
    setErrors(parsed.success ? {} : fieldErrors(parsed.error.issues));
    setTestId(null);
    if (parsed.success) start.mutate(parsed.data);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { name, role, ...rest } = fields;
    const parsed = AddTargetRequestSchema.safeParse({
      ...rest,
      ...(name.trim() === "" ? {} : { name }),
      ...(role.trim() === "" ? {} : { role }),
    });
    setErrors(parsed.success ? {} : fieldErrors(parsed.error.issues));
    if (parsed.success) add.mutate(parsed.data);
  };
  return (
    <Panel
      title="Add a cluster"
      meta="the file stays on this server; its content is never uploaded or stored"
    >
      <PanelBody>
        <form id="add" noValidate onSubmit={submit} className="grid gap-3">
          <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-[2fr_1.3fr_1fr_0.8fr]">
            <Field
              label="Kubeconfig, a path on this server"
              value={fields.kubeconfigPath}
              onChange={change("kubeconfigPath")}
              error={errors.kubeconfigPath}
              placeholder="/etc/headroom/kubeconfig"
              isRequired
            />
            <Field
              label="Context"
              value={fields.context}
              onChange={change("context")}
              error={errors.context}
              hint="empty for a test: lists the contexts of the file"
              isRequired
            />
            <Field
              label="Name"
              value={fields.name}
              onChange={change("name")}
              error={errors.name}
              hint="else the context's"
            />
            <Field
              label="Role"
              value={fields.role}
              onChange={change("role")}
              error={errors.role}
              hint="prod, stage, edge"
            />
          </div>
          <p className="text-s text-fg-3">
            Contexts with an exec plugin or auth provider are refused here: a page must not start programs.
            Name such a kubeconfig by flag, environment or configuration file.
          </p>
          <div className="flex flex-wrap gap-2">
            <Button onClick={testConnection} disabled={start.isPending}>
              Test connection
            </Button>
            <Button type="submit" look="primary" disabled={add.isPending}>
              Add cluster
            </Button>
          </div>
        </form>
        <div aria-live="polite" className="mt-3 grid gap-3 empty:hidden">
          {start.isError && <Refusal lead="The test was not started." error={start.error} />}
          {add.isError && <Refusal lead="The cluster was not added." error={add.error} />}
          {add.isSuccess && (
            <Notice
              severity="ok"
              lead="The cluster was added."
              actions={
                <Link href={clusterHref(add.data.clusterId)} className={buttonClass({ isSmall: true })}>
                  Open it
                </Link>
              }
            >
              <p>Its first pass begins within seconds.</p>
            </Notice>
          )}
          {testId !== null && <TestResult key={testId} id={testId} onContext={change("context")} />}
        </div>
      </PanelBody>
    </Panel>
  );
}

function TestResult({ id, onContext }: { id: string; onContext: (context: string) => void }) {
  const { data, error } = useQuery(connectionTestQuery(id));
  if (error !== null) return <Refusal lead="The test's answer could not be read." error={error} />;
  if (data === undefined) return null;
  const { severity, lead, text } = prepareTestRow(data);
  return (
    <div className="grid gap-2">
      <Notice severity={severity} lead={lead}>
        <p>{text}</p>
      </Notice>
      {data.result !== null && <TestDetails result={data.result} onContext={onContext} />}
    </div>
  );
}

function TestDetails(props: {
  result: NonNullable<ConnectionTestResponse["result"]>;
  onContext: (context: string) => void;
}) {
  const { result, onContext } = props;
  return (
    <>
      {result.contexts.length > 1 && (
        <p className="flex flex-wrap items-center gap-1.5 text-s text-fg-2">
          Contexts of this file:
          {result.contexts.map((context) => (
            <Button key={context} isSmall onClick={() => onContext(context)}>
              {context}
            </Button>
          ))}
        </p>
      )}
      {result.permissions.some(({ state }) => state !== "not-tried") && (
        <div className="rounded-1 border border-line">
          <PermissionList permissions={result.permissions} caption="Permissions found by the test" />
        </div>
      )}
    </>
  );
}

function Refusal({ lead, error }: { lead: string; error: Error }) {
  const { message, code, requestId } = describeError(error);
  const issues = error instanceof ProblemError ? error.issues : [];
  return (
    <div role="alert">
      <Notice severity="error" lead={lead}>
        <p>
          {message}{" "}
          <span className="font-mono text-xs">
            {code}
            {requestId !== null && ` · request ${requestId}`}
          </span>
        </p>
        {issues.map(({ where, expected }) => (
          <p key={where}>
            {where}: {expected}
          </p>
        ))}
      </Notice>
    </div>
  );
}

function Field(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  hint?: ReactNode;
  placeholder?: string;
  isRequired?: boolean;
}) {
  const { label, value, onChange, error, hint, placeholder, isRequired = false } = props;
  const id = useId();
  const noteId = `${id}-note`;
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="text-s text-fg-2">
        {label}
      </label>
      <input
        id={id}
        value={value}
        placeholder={placeholder}
        required={isRequired}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={error !== undefined}
        aria-describedby={noteId}
        onChange={(event) => onChange(event.target.value)}
        className="h-[30px] w-full rounded-2 border border-control bg-raised px-2 aria-invalid:border-error"
      />
      <span id={noteId} className={error === undefined ? "text-s text-fg-3" : "text-s text-error"}>
        {error ?? hint}
      </span>
    </div>
  );
}

/** The first thing that is wrong with each field, in words of what is expected. */
function fieldErrors(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): FieldErrors {
  const found: FieldErrors = {};
  for (const { path, message } of issues) {
    const field = path[0];
    if (field === "kubeconfigPath" || field === "context" || field === "name" || field === "role") {
      found[field] ??= message.startsWith("Too small") ? "needed here" : message;
    }
  }
  return found;
}
