import * as Result from "effect/Result"
import { anyAddress } from "../alert-method/AddressPolicy.ts"
import { decodeDefinition } from "../definition/DecodeDefinition.ts"
import { apiVersionOf } from "../metadata/Envelope.ts"
import type { Kind } from "../metadata/ObjectKey.ts"
import { type IssueList, joinPaths } from "../codec/Issue.ts"
import type { OpenSloDocuments, OpenSloKind } from "./OpenSloDocuments.ts"
import type { OpenSloMetadata } from "./OpenSloMetadata.ts"
import { NameRegistry } from "./OpenSloName.ts"
import { nameMaxCharacters } from "../codec/NameFromDisplayName.ts"
import { sloNameMaxCharacters } from "../metadata/MetadataLimits.ts"

/** The kinds of object that documents become, in the order in which they are written. */
const outputKinds = ["Service", "AlertMethod", "AlertPolicy", "SLO"] as const satisfies ReadonlyArray<Kind>

/** A kind of object that documents become. */
export type OutputKind = (typeof outputKinds)[number]

/** The definitions that documents become, and how they are named. */
export class OpenSloResult {
  readonly #options: { readonly vendorPrefix: string; readonly project: string }
  readonly #names: Readonly<Record<OutputKind, NameRegistry>>
  readonly #definitions: Record<OutputKind, Array<object>> = {
    Service: [],
    AlertMethod: [],
    AlertPolicy: [],
    SLO: [],
  }

  constructor(
    documents: OpenSloDocuments,
    options: { readonly vendorPrefix: string; readonly project: string },
  ) {
    this.#options = options
    const registry = (kind: OpenSloKind, max: number) =>
      new NameRegistry(documents.namesOf(kind), max, kind.toLowerCase())
    this.#names = {
      Service: registry("Service", nameMaxCharacters),
      AlertMethod: registry("AlertNotificationTarget", nameMaxCharacters),
      AlertPolicy: registry("AlertPolicy", nameMaxCharacters),
      SLO: registry("SLO", sloNameMaxCharacters),
    }
  }

  get definitions(): ReadonlyArray<object> {
    return outputKinds.flatMap((kind) => this.#definitions[kind])
  }

  /** The name here of an object that a document calls `written`. */
  nameOf(kind: OutputKind, written: string): string {
    return this.#names[kind].nameOf(written)
  }

  /** Adds an object if its definition decodes; otherwise a note at `path`. Returns its name. */
  add(
    kind: OutputKind,
    { name: written, displayName, ...maps }: OpenSloMetadata,
    spec: object,
    issues: IssueList,
    path: string,
  ): string | undefined {
    const { vendorPrefix, project } = this.#options
    const name = this.nameOf(kind, written)
    if (name !== written) issues.add(joinPaths(path, "metadata.name"), "invalid_format", `becomes ${name}`)
    const shown = displayName ?? (name === written ? undefined : written)
    const metadata = { name, ...(shown !== undefined && { displayName: shown }), project, ...maps }
    const definition = { apiVersion: apiVersionOf(vendorPrefix), kind, metadata, spec }
    // What may be reached is for the server to judge.
    const decoded = decodeDefinition(definition, { vendorPrefix, addressPolicy: anyAddress })
    if (Result.isSuccess(decoded)) {
      this.#definitions[kind].push(definition)
      return name
    }
    for (const issue of decoded.failure) {
      const at = joinPaths(path, issue.path.replace(/^spec\.timeWindows\b/, "spec.timeWindow"))
      issues.add(at, issue.code, `${issue.message}; the ${kind} is omitted`)
    }
    return undefined
  }
}
