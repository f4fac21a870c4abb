import * as Result from "effect/Result"
import { decodeDefinition } from "@tocsin/domain"
import { type IssueList, nameFromDisplayName, nameMaxCharacters } from "@tocsin/domain/codec"
import type { DefinitionDraft } from "@tocsin/domain/definitions"
import { anyAddress } from "@tocsin/domain/delivery"
import { apiVersionOf, type Kind, namePattern, sloNameMaxCharacters } from "@tocsin/domain/kernel"
import type { PromQlParser } from "./PromQlNode.ts"
import type { OpenSloMetadata } from "./OpenSloMetadata.ts"

/** In the order of the result. */
const outputKinds = ["Service", "AlertMethod", "AlertPolicy", "SLO"] as const satisfies ReadonlyArray<Kind>

export type OutputKind = (typeof outputKinds)[number]

/** The names of the objects in the documents, as written, by the kind that they become. */
export type SourceNames = Readonly<Record<OutputKind, ReadonlyArray<string>>>

interface ResultOptions {
  readonly vendorPrefix: string
  readonly project: string
  readonly promql: PromQlParser
}

/** A definition as plain data and decoded. */
export interface ConvertedDefinition {
  readonly definition: object
  readonly decoded: DefinitionDraft
}

/** The resulting definitions and their names. */
export class ConversionResult {
  readonly #options: ResultOptions
  readonly #names: Readonly<Record<OutputKind, NameRegistry>>
  readonly #definitions: Record<OutputKind, Array<ConvertedDefinition>> = {
    Service: [],
    AlertMethod: [],
    AlertPolicy: [],
    SLO: [],
  }

  /** The definitions as JSON, by name. */
  readonly #textByName: Readonly<Record<OutputKind, Map<string, string>>> = {
    Service: new Map(),
    AlertMethod: new Map(),
    AlertPolicy: new Map(),
    SLO: new Map(),
  }

  constructor(names: SourceNames, options: ResultOptions) {
    this.#options = options
    const registry = (kind: OutputKind, max: number) => new NameRegistry(names[kind], max, kind.toLowerCase())
    this.#names = {
      Service: registry("Service", nameMaxCharacters),
      AlertMethod: registry("AlertMethod", nameMaxCharacters),
      AlertPolicy: registry("AlertPolicy", nameMaxCharacters),
      SLO: registry("SLO", sloNameMaxCharacters),
    }
  }

  get definitions(): ReadonlyArray<ConvertedDefinition> {
    return outputKinds.flatMap((kind) => this.#definitions[kind])
  }

  /** The shares of bad events in the last hour, in PromQL, by the queries of the documents, by the name of the SLO. */
  get sourceRatios(): ReadonlyMap<string, string> {
    return this.#sourceRatios
  }

  /** Records the share for an SLO that was added. */
  addSourceRatio(slo: string | undefined, counts: { readonly sourceRatio?: string } | undefined): void {
    if (slo !== undefined && counts?.sourceRatio !== undefined)
      this.#sourceRatios.set(slo, counts.sourceRatio)
  }

  /** The name of the definition that a document calls `written`. */
  nameOf(kind: OutputKind, written: string): string {
    return this.#names[kind].nameOf(written)
  }

  readonly #sourceRatios = new Map<string, string>()

  /**
   * Adds a definition if it is valid, otherwise notes. Returns its name. `placeOf` returns the path in the document of a
   * path in the definition.
   */
  add(
    kind: OutputKind,
    { name: written, displayName, ...maps }: OpenSloMetadata,
    spec: object,
    issues: IssueList,
    placeOf: (path: string) => string,
  ): string | undefined {
    const { vendorPrefix, project, promql } = this.#options
    const name = this.nameOf(kind, written)
    if (name !== written) issues.add(placeOf("metadata.name"), "invalid_format", `becomes ${name}`)
    const shown = displayName ?? (name === written ? undefined : written)
    const metadata = { name, ...(shown !== undefined && { displayName: shown }), project, ...maps }
    const definition = { apiVersion: apiVersionOf(vendorPrefix), kind, metadata, spec }
    // What may be reached is for the server to judge.
    const decoded = decodeDefinition(definition, {
      vendorPrefix,
      addressPolicy: anyAddress,
      checkPromQl: promql.check,
    })
    if (Result.isSuccess(decoded)) {
      const text = JSON.stringify(definition)
      const known = this.#textByName[kind].get(name)
      // A document that is there twice, such as in two files, gives its definition once.
      if (known === text) return name
      if (known === undefined) {
        this.#textByName[kind].set(name, text)
        this.#definitions[kind].push({ definition, decoded: decoded.success })
        return name
      }
      const message = `is the name of another object of the documents, with other properties; the ${kind} is omitted. Rename it`
      return issues.add(placeOf("metadata.name"), "duplicate", message)
    }
    for (const issue of decoded.failure) {
      issues.add(placeOf(issue.path), issue.code, `${issue.message}; the ${kind} is omitted`)
    }
    return undefined
  }
}

const isName = (text: string, max: number): boolean => text.length <= max && namePattern.test(text)

/**
 * `OnCallDevops` becomes `on-call-devops`; a valid name does not change; `fallback` replaces an empty
 * result.
 */
const nameFromText = (text: string, max: number, fallback: string): string => {
  if (isName(text, max)) return text
  const parted = text.replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, "$1-$2")
  return nameFromDisplayName(parted, max) || fallback
}

/** Unique names of one kind of object; duplicates get a number. */
class NameRegistry {
  readonly #max: number
  readonly #fallback: string
  readonly #nameByText = new Map<string, string>()
  readonly #taken = new Set<string>()
  /** The next number of duplicates of a name. */
  readonly #nextNumbers = new Map<string, number>()

  /** Texts that are valid names keep them. */
  constructor(texts: ReadonlyArray<string>, max: number, fallback: string) {
    this.#max = max
    this.#fallback = fallback
    for (const text of texts) if (isName(text, max)) this.nameOf(text)
  }

  /** Returns the same name for the same text. */
  nameOf(text: string): string {
    const known = this.#nameByText.get(text)
    if (known !== undefined) return known
    const wanted = nameFromText(text, this.#max, this.#fallback)
    let name = wanted
    if (this.#taken.has(wanted)) {
      const base = wanted.slice(0, this.#max - 5).replace(/-$/, "")
      let number = this.#nextNumbers.get(base) ?? 2
      do name = `${base}-${number++}`
      while (this.#taken.has(name))
      this.#nextNumbers.set(base, number)
    }
    this.#taken.add(name)
    this.#nameByText.set(text, name)
    return name
  }
}
