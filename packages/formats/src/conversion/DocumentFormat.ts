import { isObject, isPlainName } from "@tocsin/domain/codec"
import type { DocumentFormat } from "./Conversion.ts"
import { hasSloRules } from "./RuleSlos.ts"

/** Recognizes the format of a document by the fields that each format requires. */
export const formatOf = (value: unknown, vendorPrefix: string): DocumentFormat => {
  if (!isObject(value)) return foreign("is not an object")
  const apiVersion = textOf(value["apiVersion"])
  const kind = textOf(value["kind"])
  const version = textOf(value["version"])
  if (apiVersion?.startsWith("openslo/")) return { name: "openslo" }
  if (version === "prometheus/v1" && apiVersion === undefined) return { name: "sloth" }
  if (apiVersion === "sloth.slok.dev/v1" && kind === "PrometheusServiceLevel")
    return { name: "sloth-resource" }
  if (apiVersion === "pyrra.dev/v1alpha1" && kind === "ServiceLevelObjective") return { name: "pyrra" }
  const isRules =
    apiVersion === undefined || (apiVersion === "monitoring.coreos.com/v1" && kind === "PrometheusRule")
  if (isRules && hasSloRules(value)) return { name: "rules" }
  if (apiVersion !== undefined) return foreign(resourceText(apiVersion, kind, vendorPrefix))
  if (version !== undefined && Array.isArray(value["slos"])) {
    return foreign("is a Sloth document of another version than prometheus/v1")
  }
  if (Array.isArray(value["groups"])) {
    return foreign("is a Prometheus rule file, which has rules but no SLOs")
  }
  return foreign("is in a format that is not recognized")
}

const foreign = (what: string): DocumentFormat => ({ name: "foreign", message: `${what}; ${formats}` })

const formats =
  "the formats are OpenSLO (openslo/v1, openslo/v1alpha), Sloth (prometheus/v1, PrometheusServiceLevel) and Pyrra (ServiceLevelObjective), and the rules that Sloth and Pyrra generate"

const resourceText = (apiVersion: string, kind: string | undefined, vendorPrefix: string): string => {
  const named = [kind, apiVersion].filter((each) => each !== undefined && isPlainName(each.replace("/", ".")))
  const resource = named.length === 0 ? "" : ` (${named.join(", ")})`
  const [group = ""] = apiVersion.split("/")
  if (group === vendorPrefix) return `is already a definition${resource}; apply it as it is`
  if (group === "n9") return `is a Nobl9 document${resource}`
  if (group === "sloth.slok.dev") return `is a Sloth document without SLOs, or of another version${resource}`
  if (group === "pyrra.dev") return `is a Pyrra document without SLOs, or of another version${resource}`
  if (group === "monitoring.coreos.com") return `is a Prometheus Operator document${resource}`
  if (kind === undefined) return `is in a format that is not recognized${resource}`
  return `is a Kubernetes document of another kind${resource}`
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined
