import * as Effect from "effect/Effect"
import type { X509Certificate } from "node:crypto"
import { createPrivateKey } from "node:crypto"
import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { certificatesOf } from "../config/Certificates.ts"
import type { StoreConfig } from "../config/ServerConfig.ts"
import { findDatabase, prepareCluster, reasonOf } from "../postgres/Cluster.ts"
import { findPostgresBinaries } from "../postgres/PostgresBinaries.ts"
import { masterKeyFile, readSecretFile } from "../store/SecretFile.ts"
import { type CheckResult, failed, ok, warning } from "./Check.ts"

type Embedded = Extract<StoreConfig, { readonly kind: "embedded" }>

/** Checks the embedded PostgreSQL and its data directory, without starting it or creating anything. */
export const checkDataDirectory = (store: Embedded): Effect.Effect<ReadonlyArray<CheckResult>> =>
  Effect.gen(function* () {
    const database = yield* checkEmbeddedDatabase(store)
    return [yield* checkMasterKeyFile(store), checkAccess(store), checkDisk(store), database]
  })

const checkMasterKeyFile = ({ masterKey, dataDirectory }: Embedded): Effect.Effect<CheckResult> => {
  const name = "master key"
  const file = masterKeyFile(dataDirectory)
  if (masterKey !== undefined) return Effect.succeed(ok(name, "TOCSIN_MASTER_KEY is set"))
  return Effect.gen(function* () {
    if ((yield* readSecretFile(file)) !== undefined)
      return (statSync(file).mode & 0o077) === 0
        ? ok(name, `in ${file}`)
        : warning(name, `other users can access ${file}; run chmod 600 ${file}`)
    return (yield* findDatabase(dataDirectory)) === undefined
      ? ok(name, `generated in ${file} at the first start`)
      : failed(
          name,
          `${file} does not exist, but the database does; set TOCSIN_MASTER_KEY to its master key, or restore the file; if it is lost, see /help/guides/runbooks#the-master-key-is-lost`,
        )
  }).pipe(Effect.catch(({ message }) => Effect.succeed(failed(name, message))))
}

/** The directory, or the one that it is created in. */
const existing = (directory: string): string => {
  const absolute = resolve(directory)
  return existsSync(absolute) || dirname(absolute) === absolute ? absolute : existing(dirname(absolute))
}

const checkAccess = ({ dataDirectory }: Embedded): CheckResult => {
  const name = "data directory"
  const found = existing(dataDirectory)
  try {
    if (!statSync(found).isDirectory())
      return failed(name, `${found} is not a directory; set TOCSIN_DATA_DIR to another directory`)
    accessSync(found, constants.R_OK | constants.W_OK | constants.X_OK)
    return found === resolve(dataDirectory)
      ? ok(name, `${found} is writable`)
      : ok(name, `created in ${found} at the first start`)
  } catch (cause) {
    return failed(name, `${reasonOf(cause)}; set TOCSIN_DATA_DIR to a directory that this user can write to`)
  }
}

const checkDisk = ({ dataDirectory }: Embedded): CheckResult => {
  try {
    const { bavail, bsize } = statfsSync(existing(dataDirectory))
    return diskCheck(bavail * bsize)
  } catch (cause) {
    return failed("disk", `${reasonOf(cause)}; check the file system of TOCSIN_DATA_DIR`)
  }
}

const mebibyte = 1_048_576
const freeWarningMiB = 2_048
const freeFailureMiB = 256

/** PostgreSQL stops when it cannot write its log of changes, which takes up to 1 GiB by default. */
export const diskCheck = (freeBytes: number): CheckResult => {
  const freeMiB = Math.floor(freeBytes / mebibyte)
  const message = `${freeMiB} MiB free`
  if (freeMiB >= freeWarningMiB) return ok("disk", message)
  return (freeMiB < freeFailureMiB ? failed : warning)(
    "disk",
    `${message}; free disk space, or set TOCSIN_DATA_DIR to another disk`,
  )
}

const checkEmbeddedDatabase = ({ dataDirectory }: Embedded): Effect.Effect<CheckResult> =>
  Effect.gen(function* () {
    const binaries = yield* findPostgresBinaries
    const major = yield* findDatabase(dataDirectory)
    if (major === undefined) return ok("database", "created by the embedded PostgreSQL at the first start")
    // With a database, this only compares the versions.
    yield* prepareCluster(resolve(dataDirectory), binaries)
    return ok("database", `the embedded PostgreSQL ${major}, in ${resolve(dataDirectory)}`)
  }).pipe(Effect.catch(({ message }) => Effect.succeed(failed("database", message))))

/** Files of certificates and keys, each with its setting. */
export interface TlsFiles {
  readonly ca: ReadonlyArray<readonly [setting: string, file: string]>
  readonly certificate?: readonly [setting: string, file: string] | undefined
  readonly key?: readonly [setting: string, file: string] | undefined
}

/** Checks that the files can be read and parsed, that no certificate has expired, and that the key is the certificate's. */
export const checkTlsFiles = (
  { ca, certificate, key }: TlsFiles,
  now: number,
): ReadonlyArray<CheckResult> => {
  const results = ca.map(([setting, file]) => checkCertificates(setting, file, now, "one").result)
  if (certificate === undefined && key === undefined) return results
  if (certificate === undefined || key === undefined) {
    const [present, absent] = certificate === undefined ? ["sslkey", "sslcert"] : ["sslcert", "sslkey"]
    return [...results, failed(present, `set without ${absent}; set both in DATABASE_URL, or neither`)]
  }
  const checked = checkCertificates(...certificate, now, "all")
  return [...results, checked.result, checkKey(...key, checked.first, certificate[0])]
}

const certificateWarningDays = 30
const dayMs = 86_400_000

/** Checks certificates that are sent, which must all be valid, or CAs, of which one may be enough. */
const checkCertificates = (
  setting: string,
  file: string,
  now: number,
  needed: "all" | "one",
): { readonly result: CheckResult; readonly first?: X509Certificate | undefined } => {
  const pem = readPem(setting, file)
  if (typeof pem !== "string") return { result: pem }
  const certificates = certificatesOf(pem)
  if (certificates === undefined)
    return { result: failed(setting, `${file} must contain certificates in PEM`) }
  return { first: certificates[0], result: checkValidity(setting, file, certificates, now, needed) }
}

const checkValidity = (
  setting: string,
  file: string,
  certificates: ReadonlyArray<X509Certificate>,
  now: number,
  needed: "all" | "one",
): CheckResult => {
  const isValid = ({ validFrom, validTo }: X509Certificate) =>
    Date.parse(validFrom) <= now && now < Date.parse(validTo)
  const invalid = certificates.find((each) => !isValid(each))
  if (invalid !== undefined) {
    const isUsable = needed === "one" && certificates.some(isValid)
    const { validFrom, validTo } = invalid
    const message = `a certificate of ${file} is valid only from ${dayOf(validFrom)} to ${dayOf(validTo)}; replace it`
    return (isUsable ? warning : failed)(setting, message)
  }
  const validTo = Math.min(...certificates.map((each) => Date.parse(each.validTo)))
  return validTo - now < certificateWarningDays * dayMs
    ? warning(setting, `a certificate of ${file} expires on ${dayOf(validTo)}; replace it before that day`)
    : ok(setting, `${file} is valid until ${dayOf(validTo)}`)
}

const dayOf = (time: string | number): string => new Date(time).toISOString().slice(0, 10)

const checkKey = (
  setting: string,
  file: string,
  certificate: X509Certificate | undefined,
  certificateSetting: string,
): CheckResult => {
  const pem = readPem(setting, file)
  if (typeof pem !== "string") return pem
  try {
    const key = createPrivateKey(pem)
    if (certificate !== undefined && !certificate.checkPrivateKey(key))
      return failed(
        setting,
        `${file} is not the key of the certificate in ${certificateSetting}; set the matching pair`,
      )
    return ok(
      setting,
      certificate === undefined ? `${file} is a private key` : `${file} fits ${certificateSetting}`,
    )
  } catch {
    return failed(setting, `${file} must contain a private key in PEM, without a passphrase`)
  }
}

const readPem = (setting: string, file: string): string | CheckResult => {
  try {
    return readFileSync(file, "utf8")
  } catch (cause) {
    return failed(setting, `${reasonOf(cause)}; check the path and its permissions`)
  }
}
