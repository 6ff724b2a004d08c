import packageJson from "../../package.json" with { type: "json" };

/** How we identify ourselves to API servers, so that an operator finds us in an audit log. */
export const USER_AGENT = `headroom/${packageJson.version} (+control-plane headroom; read-only)`;
