import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import {
  bitString,
  context,
  explicit,
  integer,
  octetString,
  oid,
  pem,
  sequence,
  set,
  utcTime,
  utf8String,
} from "./der.ts";

/** A certificate with its key, both PEM. */
export interface CertifiedKey {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface Authority extends CertifiedKey {
  readonly name: string;
  readonly key: KeyObject;
}

interface Subject {
  readonly commonName: string;
  /** Kubernetes reads these as groups. */
  readonly organizations?: readonly string[];
}

const OID = {
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  basicConstraints: "2.5.29.19",
  keyUsage: "2.5.29.15",
  extendedKeyUsage: "2.5.29.37",
  subjectAltName: "2.5.29.17",
  subjectKeyIdentifier: "2.5.29.14",
  authorityKeyIdentifier: "2.5.29.35",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
} as const;

const VALID_DAYS = 7;

/** A self-signed authority for one test bed. Node creates keys but no certificates, hence the DER below. */
export function createAuthority(name: string): Authority {
  const { key, keyPem } = createKey();
  const certificatePem = certify({
    subject: { commonName: name },
    subjectKey: key,
    issuer: { commonName: name },
    issuerKey: key,
    // keyCertSign and cRLSign, bits 5 and 6.
    extensions: [
      extension(OID.basicConstraints, sequence(Buffer.from([0x01, 0x01, 0xff])), true),
      extension(OID.keyUsage, bitString(Buffer.from([0b0000_0110]), 1), true),
      extension(OID.subjectKeyIdentifier, octetString(keyIdentifier(key)), false),
    ],
  });
  return { name, key, keyPem, certificatePem };
}

/** A serving certificate for host names and IPv4 addresses. */
export function issueServingCertificate(
  authority: Authority,
  { commonName, hosts }: { readonly commonName: string; readonly hosts: readonly string[] },
): CertifiedKey {
  const names = hosts.map((host) =>
    /^\d+\.\d+\.\d+\.\d+$/.test(host)
      ? context(7, Buffer.from(host.split(".").map(Number)))
      : context(2, Buffer.from(host, "ascii")),
  );
  return issue(authority, { commonName }, OID.serverAuth, [
    extension(OID.subjectAltName, sequence(...names), false),
  ]);
}

/** A client certificate: Kubernetes takes the common name as user and the organizations as groups. */
export function issueClientCertificate(authority: Authority, subject: Subject): CertifiedKey {
  return issue(authority, subject, OID.clientAuth, []);
}

/** A P-256 key pair, PEM, for signing ServiceAccount tokens. */
export function createSigningKeyPair(): { readonly privatePem: string; readonly publicPem: string } {
  const { key, keyPem } = createKey();
  return {
    privatePem: keyPem,
    publicPem: createPublicKey(key).export({ type: "spki", format: "pem" }).toString(),
  };
}

function issue(authority: Authority, subject: Subject, usage: string, more: readonly Buffer[]): CertifiedKey {
  const { key, keyPem } = createKey();
  const certificatePem = certify({
    subject,
    subjectKey: key,
    issuer: { commonName: authority.name },
    issuerKey: authority.key,
    // digitalSignature is bit 0.
    extensions: [
      extension(OID.keyUsage, bitString(Buffer.from([0b1000_0000]), 7), true),
      extension(OID.extendedKeyUsage, sequence(oid(usage)), false),
      // Optional for Go, required by clients that verify strictly.
      extension(OID.authorityKeyIdentifier, sequence(context(0, keyIdentifier(authority.key))), false),
      ...more,
    ],
  });
  return { certificatePem, keyPem };
}

function createKey(): { readonly key: KeyObject; readonly keyPem: string } {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { key: privateKey, keyPem: privateKey.export({ type: "sec1", format: "pem" }).toString() };
}

/** RFC 7093 section 2, method 1, over the whole public key information. */
function keyIdentifier(key: KeyObject): Buffer {
  const spki = createPublicKey(key).export({ type: "spki", format: "der" });
  return createHash("sha256").update(spki).digest().subarray(0, 20);
}

interface CertificateParts {
  readonly subject: Subject;
  readonly subjectKey: KeyObject;
  readonly issuer: Subject;
  readonly issuerKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

/** X.509 version 3, RFC 5280 section 4.1, signed with ECDSA and SHA-256. */
function certify({ subject, subjectKey, issuer, issuerKey, extensions }: CertificateParts): string {
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  const serial = randomBytes(16);
  serial[0] = 0x40 | ((serial[0] ?? 0) & 0x3f); // positive, and of fixed length
  const now = Date.now();
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(serial),
    algorithm,
    distinguishedName(issuer),
    // An hour back, for clocks of two processes that disagree by a moment.
    sequence(utcTime(new Date(now - 3_600_000)), utcTime(new Date(now + VALID_DAYS * 86_400_000))),
    distinguishedName(subject),
    createPublicKey(subjectKey).export({ type: "spki", format: "der" }),
    explicit(3, sequence(...extensions)),
  );
  return pem("CERTIFICATE", sequence(body, algorithm, bitString(sign("sha256", body, issuerKey))));
}

function distinguishedName({ commonName, organizations = [] }: Subject): Buffer {
  const attribute = (type: string, value: string) => set(sequence(oid(type), utf8String(value)));
  return sequence(
    ...organizations.map((organization) => attribute(OID.organization, organization)),
    attribute(OID.commonName, commonName),
  );
}

function extension(type: string, value: Buffer, critical: boolean): Buffer {
  const flag = critical ? [Buffer.from([0x01, 0x01, 0xff])] : [];
  return sequence(oid(type), ...flag, octetString(value));
}
