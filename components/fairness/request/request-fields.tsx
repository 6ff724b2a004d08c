"use client";

import { type ReactNode, useId } from "react";
import { Segments } from "@/components/ui/segments";
import type { FlowControlResponse } from "@/lib/contracts/flow-control";
import { userOf } from "@/lib/domain/fairness/matching/request-user";
import { isRead, VERBS } from "@/lib/domain/kubernetes/resource-request";
import { METHODS, type ReadForm, type RequestField, type RequestForm, VERSION_MATCHES } from "./request-form";

/** Accounts offered while one types. */
const SUGGESTED = 200;
const FIELD =
  "h-[30px] w-full min-w-0 rounded-2 border border-control bg-raised px-2 aria-invalid:border-error";

export interface RequestFieldsProps {
  readonly form: RequestForm;
  readonly read: ReadForm;
  readonly accounts: FlowControlResponse["accounts"];
  /** A choice is a step that Back undoes. */
  readonly onChoose: (change: Partial<RequestForm>) => void;
  /** Typing replaces. */
  readonly onType: (change: Partial<RequestForm>) => void;
}

/** Who sends the request, and what it asks for. */
export function RequestFields(props: RequestFieldsProps) {
  const { form, onChoose } = props;
  return (
    <form aria-label="Request" className="grid gap-3" onSubmit={(event) => event.preventDefault()}>
      <div className="flex flex-wrap items-center gap-2">
        <Segments
          label="Sent by"
          value={form.who}
          onChange={(who) => onChoose({ who })}
          options={[
            { value: "account", label: "Service account" },
            { value: "user", label: "User" },
          ]}
        />
        <Segments
          label="Groups"
          value={form.groups === null ? "implied" : "given"}
          onChange={(groups) => onChoose({ groups: groups === "implied" ? null : impliedGroups(form) })}
          options={[
            { value: "implied", label: "Groups by the name" },
            { value: "given", label: "Groups given" },
          ]}
        />
        <Segments
          label="Request by"
          value={form.by}
          onChange={(by) => onChoose({ by })}
          options={[
            { value: "resource", label: "Resource" },
            { value: "path", label: "Path" },
          ]}
        />
      </div>
      <div className="grid grid-cols-2 gap-2 sm:grid-cols-4 [&>*]:content-start">
        <WhoFields {...props} />
        {form.by === "path" ? <PathFields {...props} /> : <ResourceFields {...props} />}
      </div>
    </form>
  );
}

/** What the name stands for, as a beginning for groups of one's own. */
function impliedGroups({ who, account, user }: RequestForm): string {
  const [namespace = "", name = ""] = account.split("/");
  const known = who === "account" ? `system:serviceaccount:${namespace}:${name}` : user;
  return known === "" || (who === "account" && name === "") ? "" : userOf(known).groups.join("\n");
}

function WhoFields({ form, read, accounts, onType }: RequestFieldsProps) {
  const listId = useId();
  return (
    <>
      {form.who === "account" ? (
        <Field
          label="Service account"
          field="account"
          read={read}
          className="col-span-2"
          hint="namespace/name"
        >
          {(attributes) => (
            <>
              <input
                {...attributes}
                list={listId}
                value={form.account}
                placeholder="monitoring/agent"
                onChange={({ target }) => onType({ account: target.value.trim() })}
              />
              <datalist id={listId}>
                {accounts?.slice(0, SUGGESTED).map(({ namespace, name }) => (
                  <option key={`${namespace}/${name}`} value={`${namespace}/${name}`} />
                ))}
              </datalist>
            </>
          )}
        </Field>
      ) : (
        <Field
          label="User"
          field="user"
          read={read}
          className="col-span-2"
          hint="as authentication names it: system:node:n1, system:anonymous"
        >
          {(attributes) => (
            <input
              {...attributes}
              value={form.user}
              placeholder="system:kube-controller-manager"
              onChange={({ target }) => onType({ user: target.value })}
            />
          )}
        </Field>
      )}
      {form.groups !== null && (
        <Field
          label="Groups"
          field="groups"
          read={read}
          className="col-span-2"
          hint="one a line; none: no group at all"
        >
          {(attributes) => (
            <textarea
              {...attributes}
              rows={3}
              className={`${FIELD} h-auto! py-1 font-mono text-s`}
              value={form.groups ?? ""}
              onChange={({ target }) => onType({ groups: target.value })}
            />
          )}
        </Field>
      )}
    </>
  );
}

function ResourceFields({ form, read, onChoose, onType }: RequestFieldsProps) {
  const { verb } = form;
  const isOfMany = isRead(verb);
  const text = (field: keyof typeof TEXTS) => (
    <TextField form={form} read={read} onType={onType} field={field} />
  );
  return (
    <>
      <Field label="Verb" field="verb" read={read}>
        {(attributes) => (
          <select
            {...attributes}
            value={verb}
            onChange={({ target }) =>
              onChoose({ verb: VERBS.find((each) => each === target.value) ?? "list" })
            }
          >
            {VERBS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Field>
      {text("resource")}
      {text("namespace")}
      {text("name")}
      {isOfMany && (
        <>
          {text("limit")}
          {text("rv")}
          <Field label="resourceVersionMatch" field="match" read={read}>
            {(attributes) => (
              <select
                {...attributes}
                value={form.match ?? ""}
                onChange={({ target }) =>
                  onChoose({ match: VERSION_MATCHES.find((each) => each === target.value) ?? null })
                }
              >
                <option value="">not set</option>
                {VERSION_MATCHES.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            )}
          </Field>
          {text("fields")}
          {text("labels")}
          <ProgressField form={form} read={read} onChoose={onChoose} />
          {verb === "watch" && (
            <Field label="sendInitialEvents" field="initial" read={read}>
              {(attributes) => (
                <select
                  {...attributes}
                  value={form.initial ? "true" : ""}
                  onChange={({ target }) => onChoose({ initial: target.value === "true" })}
                >
                  <option value="">not set</option>
                  <option>true</option>
                </select>
              )}
            </Field>
          )}
        </>
      )}
      {!isOfMany && verb !== "get" && verb !== "deletecollection" && text("watchers")}
    </>
  );
}

const TEXTS = {
  resource: { label: "Resource", hint: "pods, deployments.apps, pods/status" },
  namespace: { label: "Namespace", hint: "empty: all, cluster-wide" },
  name: { label: "Name", hint: "of one object" },
  limit: { label: "limit", hint: "objects a page" },
  rv: { label: "resourceVersion", hint: "0: whatever is in memory" },
  fields: { label: "fieldSelector", hint: "spec.nodeName=n1" },
  labels: { label: "labelSelector", hint: "app=web" },
  watchers: { label: "Watches on it", hint: "if known" },
} as const;

function TextField({
  form,
  read,
  onType,
  field,
}: Pick<RequestFieldsProps, "form" | "read" | "onType"> & { field: keyof typeof TEXTS }) {
  const { label, hint } = TEXTS[field];
  return (
    <Field label={label} field={field} read={read} hint={hint}>
      {(attributes) => (
        <input
          {...attributes}
          value={form[field]}
          onChange={({ target }) => onType({ [field]: target.value.trim() })}
        />
      )}
    </Field>
  );
}

function PathFields({ form, read, onChoose, onType }: RequestFieldsProps) {
  return (
    <>
      <Field label="Method" field="method" read={read}>
        {(attributes) => (
          <select
            {...attributes}
            value={form.method}
            onChange={({ target }) =>
              onChoose({ method: METHODS.find((each) => each === target.value) ?? "GET" })
            }
          >
            {METHODS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label="Path and query"
        field="path"
        read={read}
        className="col-span-2 sm:col-span-3"
        hint="as sent"
      >
        {(attributes) => (
          <input
            {...attributes}
            value={form.path}
            placeholder="/api/v1/pods?limit=500&resourceVersion=0"
            onChange={({ target }) => onType({ path: target.value.trim() })}
          />
        )}
      </Field>
      {form.method === "GET" || form.method === "HEAD" ? (
        <ProgressField form={form} read={read} onChoose={onChoose} />
      ) : (
        <TextField form={form} read={read} onType={onType} field="watchers" />
      )}
    </>
  );
}

/** No API server publishes what its etcd can do, and from 1.31 on it decides where the latest state is read. */
function ProgressField({ form, read, onChoose }: Pick<RequestFieldsProps, "form" | "read" | "onChoose">) {
  return (
    <Field label="etcd progress requests" field="progress" read={read} hint="from 3.4.31 and 3.5.13 on">
      {(attributes) => (
        <select
          {...attributes}
          value={String(form.progress)}
          onChange={({ target }) => onChoose({ progress: target.value === "true" })}
        >
          <option value="true">taken to be answered</option>
          <option value="false">not answered</option>
        </select>
      )}
    </Field>
  );
}

interface FieldAttributes {
  readonly id: string;
  readonly className: string;
  readonly autoComplete: "off";
  readonly spellCheck: false;
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string | undefined;
}

function Field(props: {
  label: string;
  field: RequestField;
  read: ReadForm;
  hint?: string;
  className?: string;
  children: (attributes: FieldAttributes) => ReactNode;
}) {
  const { label, field, read, hint, className, children } = props;
  const id = useId();
  const noteId = `${id}-note`;
  const error = read.state === "invalid" ? read.errors[field] : undefined;
  const note = error ?? hint;
  return (
    <div className={`grid min-w-0 content-start gap-1 ${className ?? ""}`}>
      <label htmlFor={id} className="text-s text-fg-2">
        {label}
      </label>
      {children({
        id,
        className: FIELD,
        autoComplete: "off",
        spellCheck: false,
        "aria-invalid": error !== undefined,
        "aria-describedby": note === undefined ? undefined : noteId,
      })}
      {note !== undefined && (
        <span id={noteId} className={`text-s ${error === undefined ? "text-fg-3" : "text-error"}`}>
          {note}
        </span>
      )}
    </div>
  );
}
