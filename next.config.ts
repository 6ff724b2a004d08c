import type { NextConfig } from "next";

const config: NextConfig = {
  output: "standalone",
  poweredByHeader: false,
  reactStrictMode: true,
  serverExternalPackages: ["better-sqlite3"],
  // Types are a step of their own in `npm test`, tests included; a build for `npm start` does not do it again.
  typescript: { ignoreBuildErrors: true },
};

export default config;
