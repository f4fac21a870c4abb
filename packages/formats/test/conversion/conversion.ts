import * as Result from "effect/Result"
import { readDocuments } from "@tocsin/formats/documents"
import { promqlParser } from "@tocsin/promql"
import { decodeDefinition } from "@tocsin/domain"
import { anyAddress } from "@tocsin/domain/delivery"
import { type ConversionOptions, convertDocuments } from "@tocsin/formats"

/** What JSON gives. */
export type Plain = ReturnType<typeof JSON.parse>

const options: ConversionOptions = {
  vendorPrefix: "tocsin",
  project: "default",
  promql: promqlParser,
  prometheusUrl: "http://prometheus:9090",
}

type Overrides = Omit<Partial<ConversionOptions>, "prometheusUrl"> & {
  readonly prometheusUrl?: string | undefined
}

/** Converts documents, of which the definitions must be valid. */
export const converted = (values: ReadonlyArray<unknown>, more: Overrides = {}) => {
  const { prometheusUrl, ...rest } = { ...options, ...more }
  const { definitions, notes, isComplete } = convertDocuments(values, {
    ...rest,
    ...(prometheusUrl !== undefined && { prometheusUrl }),
  })
  const invalid = definitions.flatMap((definition) => {
    const decoded = decodeDefinition(definition, {
      vendorPrefix: "tocsin",
      addressPolicy: anyAddress,
      checkPromQl: promqlParser.check,
    })
    return Result.isSuccess(decoded) ? [] : decoded.failure
  })
  if (invalid.length > 0) throw new Error(JSON.stringify(invalid))
  const ofKind = (kind: string) => (definitions as ReadonlyArray<Plain>).filter((each) => each.kind === kind)
  return {
    slos: ofKind("SLO"),
    policies: ofKind("AlertPolicy"),
    notes: notes.map(({ document, path, message }) => `${document} ${path}: ${message}`),
    isComplete,
  }
}

/** Converts a YAML file. */
export const convertedYaml = (yaml: string, more: Overrides = {}) => {
  const read = readDocuments(yaml, "application/yaml")
  if (Result.isFailure(read)) throw new Error(read.failure.message)
  return converted(read.success, more)
}

/** Copies of a value, in each of which one property at any depth has another value. */
export const variationsOf = (value: Plain, junk: ReadonlyArray<unknown>): ReadonlyArray<Plain> => {
  const paths = (at: Plain): ReadonlyArray<ReadonlyArray<string>> =>
    typeof at === "object" && at !== null
      ? Object.entries(at).flatMap(([key, each]) => [[key], ...paths(each).map((path) => [key, ...path])])
      : []
  return paths(value).flatMap((path) =>
    junk.map((to) => {
      const copy = structuredClone(value)
      path.slice(0, -1).reduce((node, key) => node[key], copy)[path.at(-1) ?? ""] = to
      return copy
    }),
  )
}
