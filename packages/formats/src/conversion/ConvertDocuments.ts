import { listedWarnings } from "@tocsin/domain"
import { atOnce, type Parts } from "@tocsin/domain/adapter"
import { isObject, IssueList, joinPaths, type Warning } from "@tocsin/domain/codec"
import { definitionsMax, warningContext, warningsOf } from "@tocsin/domain/definitions"
import { BurnRatePolicies } from "./BurnRatePolicies.ts"
import type { ConversionOptions, DocumentFormat, Source } from "./Conversion.ts"
import { ConversionResult, type SourceNames } from "./ConversionResult.ts"
import { convertOpenSlo } from "./ConvertOpenSlo.ts"
import { formatOf } from "./DocumentFormat.ts"
import { OpenSloDocuments } from "./OpenSloDocuments.ts"
import { convertPyrra } from "./PyrraSlo.ts"
import { convertRules, countRuleSlos, type GeneratedRules, readRules, ruleSloNames } from "./RuleSlos.ts"
import { convertSloth, slothNames } from "./SlothSlos.ts"

/** The definitions that documents of other formats were converted to. */
export interface Conversion {
  /** Services, alert methods, alert policies, then SLOs, as plain data. */
  readonly definitions: ReadonlyArray<object>
  /** Everything that was changed or omitted, in the order of documents and paths. */
  readonly notes: ReadonlyArray<ConversionNote>
  /** Whether every object was converted. */
  readonly isComplete: boolean
  /** The share of bad events in the last hour by the queries of its document, in PromQL, of each SLO that counts events. */
  readonly sourceRatios: ReadonlyMap<string, string>
  /** About the definitions, with the paths that applying all of them reports. */
  readonly warnings: ReadonlyArray<Warning>
}

/** A change or omission, and why. */
export interface ConversionNote {
  /** The index of the document. */
  readonly document: number
  /** Of the property concerned. */
  readonly path: string
  /** A clause without its path. */
  readonly message: string
}

/**
 * Converts documents of OpenSLO, Sloth and Pyrra, and rules that the latter two generate, to valid definitions, with a note about everything that could not be
 * converted. Nothing is guessed: an object is omitted if a property that defines its meaning has no equivalent.
 */
export const convertDocuments = (values: ReadonlyArray<unknown>, options: ConversionOptions): Conversion =>
  atOnce(convertInParts(values, options))

/** Converts documents, one object after another. */
export function* convertInParts(
  values: ReadonlyArray<unknown>,
  options: ConversionOptions,
): Parts<Conversion> {
  const sources = values.flatMap((value, document) => sourcesOf(value, document, options.vendorPrefix))
  const ofFormat = (...names: ReadonlyArray<DocumentFormat["name"]>) =>
    sources.filter(({ format }) => names.includes(format.name))
  const openSlo = new OpenSloDocuments(ofFormat("openslo"))
  const sloth = ofFormat("sloth", "sloth-resource")
  const pyrra = ofFormat("pyrra")
  const rules = readRules(ofFormat("rules"))
  yield
  const names = namesOf(openSlo, sloth, pyrra, rules)
  const result = new ConversionResult(names, options)
  const policies = new BurnRatePolicies(result)
  const services = new Set(names.Service)
  const parts = { result, policies, services, options }
  const converted = [yield* convertOpenSlo(openSlo, result, options)]
  for (const source of sloth) converted.push(yield* convertSloth(source, parts))
  for (const source of pyrra) {
    yield
    converted.push(convertPyrra(source, parts))
  }
  converted.push(yield* convertRules(rules, parts))
  for (const { format, issues } of sources) {
    if (format.name === "foreign") issues.add("", "not_allowed_value", format.message)
  }
  const decoded = result.definitions.map((each) => each.decoded)
  const context = warningContext(decoded, options, [], decoded)
  const warnings: Array<Pick<Conversion, "warnings">> = []
  for (const each of decoded) {
    yield
    warnings.push({ warnings: warningsOf(each, context) })
  }
  return {
    definitions: result.definitions.map(({ definition }) => definition),
    notes: sources.flatMap(({ document, path: base, issues }) =>
      issues.sorted().map(({ path, message }) => ({ document, path: joinPaths(base, path), message })),
    ),
    isComplete: converted.every(Boolean) && ofFormat("foreign").length === 0,
    sourceRatios: result.sourceRatios,
    warnings: listedWarnings(warnings),
  }
}

/** How many objects are in documents: the items of a list, and the SLOs of a Sloth document or of generated rules. */
export const countObjects = (values: ReadonlyArray<unknown>): number =>
  values
    .flatMap((value) => itemsOf(value) ?? [value])
    .reduce<number>((sum, value) => {
      const { spec, slos = isObject(spec) ? spec["slos"] : undefined } = isObject(value) ? value : {}
      return sum + Math.max(1, Array.isArray(slos) ? slos.length : countRuleSlos(value, definitionsMax))
    }, 0)

/** `kubectl get` prints several objects as one list. */
const itemsOf = (value: unknown): ReadonlyArray<unknown> | undefined =>
  isObject(value) && String(value["kind"]).endsWith("List") && Array.isArray(value["items"])
    ? value["items"]
    : undefined

const sourcesOf = (value: unknown, document: number, vendorPrefix: string): ReadonlyArray<Source> => {
  const sourceOf = (each: unknown, path: string): Source => ({
    document,
    path,
    value: each,
    format: formatOf(each, vendorPrefix),
    issues: new IssueList(),
  })
  const items = itemsOf(value)
  if (items === undefined || !isObject(value)) return [sourceOf(value, "")]
  const { apiVersion, kind } = value
  const item = kind === "List" ? {} : { apiVersion, kind: String(kind).replace(/List$/, "") }
  return items.map((each, index) => sourceOf(isObject(each) ? { ...item, ...each } : each, `items[${index}]`))
}

const namesOf = (
  openSlo: OpenSloDocuments,
  sloth: ReadonlyArray<Source>,
  pyrra: ReadonlyArray<Source>,
  rules: GeneratedRules,
): SourceNames => ({
  Service: openSlo.namesOf("Service"),
  AlertMethod: openSlo.namesOf("AlertNotificationTarget"),
  AlertPolicy: openSlo.namesOf("AlertPolicy"),
  SLO: [
    ...openSlo.namesOf("SLO"),
    ...sloth.flatMap(slothNames),
    ...pyrra.flatMap(({ value }) => {
      const metadata = isObject(value) ? value["metadata"] : undefined
      return isObject(metadata) && typeof metadata["name"] === "string" ? [metadata["name"]] : []
    }),
    ...ruleSloNames(rules),
  ],
})
