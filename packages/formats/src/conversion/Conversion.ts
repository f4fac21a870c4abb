import type { IssueList } from "@tocsin/domain/codec"
import type { RollingUnit, WarningOptions } from "@tocsin/domain/definitions"
import type { BurnRatePolicies } from "./BurnRatePolicies.ts"
import type { ConversionResult } from "./ConversionResult.ts"
import type { PromQlParser } from "./PromQlNode.ts"

/** The formats that are converted, and what a document of another format is called. */
export type DocumentFormat =
  | { readonly name: "openslo" | "sloth" | "sloth-resource" | "pyrra" | "rules" }
  | { readonly name: "foreign"; readonly message: string }

/** What documents of other formats do not say. */
export interface ConversionOptions extends WarningOptions {
  /** Reads the queries of the documents. */
  readonly promql: PromQlParser
  /** What the `apiVersion` of definitions begins with, such as `tocsin`. */
  readonly vendorPrefix: string
  /** The project of all definitions. */
  readonly project: string
  /** The URL of all alert methods, since OpenSLO targets have none; absent: it must be added to the result. */
  readonly webhookUrl?: string
  /** The URL of indicators whose document has none; absent: their SLOs are omitted. */
  readonly prometheusUrl?: string
  /** The data source of the project for these indicators, instead of a URL. */
  readonly dataSource?: string
  /** The service of SLOs whose document has none, as with Pyrra; absent: they are omitted. */
  readonly service?: string
  /** The time window of SLOs whose document has none, as with Sloth; absent: 30 days, as in Sloth. */
  readonly slothWindow?: { readonly unit: RollingUnit; readonly count: number }
}

/** One object of a document. */
export interface Source {
  readonly document: number
  /** Where the object is in its document; empty unless the document is a list. */
  readonly path: string
  readonly value: unknown
  readonly format: DocumentFormat
  /** The notes about the object, with paths below `path`. */
  readonly issues: IssueList
}

/** What the objects of a conversion share. */
export interface ConversionParts {
  readonly result: ConversionResult
  readonly policies: BurnRatePolicies
  /** The services that the documents define, by their written names. */
  readonly services: ReadonlySet<string>
  readonly options: ConversionOptions
}

/** The time window of SLOs whose document has none. */
export const defaultWindowOf = ({
  slothWindow = { unit: "Day", count: 30 },
}: Pick<ConversionOptions, "slothWindow">): NonNullable<ConversionOptions["slothWindow"]> => slothWindow
