import { REQUEST_STATE, type RequestForm } from "./request-form";

/** The form as it is before anybody touches it. */
export const EMPTY_FORM: RequestForm = {
  who: REQUEST_STATE.who.defaultValue,
  account: "",
  user: "",
  groups: null,
  by: REQUEST_STATE.by.defaultValue,
  verb: REQUEST_STATE.verb.defaultValue,
  resource: REQUEST_STATE.resource.defaultValue,
  namespace: "",
  name: "",
  limit: "",
  rv: "",
  match: null,
  fields: "",
  labels: "",
  initial: false,
  method: REQUEST_STATE.method.defaultValue,
  path: "",
  watchers: "",
  progress: true,
  why: false,
};
