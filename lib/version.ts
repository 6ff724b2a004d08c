import packageJson from "../package.json" with { type: "json" };

/** Headroom's own version, from package.json. */
export const HEADROOM_VERSION: string = packageJson.version;
