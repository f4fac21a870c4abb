import * as Result from "effect/Result"
import type { Parts } from "@tocsin/domain/adapter"
import { isObject, type IssueList, joinPaths, optional, type Reader, string } from "@tocsin/domain/codec"
import { anyAddress, parseWebhookUrl, webhookUrlMaxCharacters } from "@tocsin/domain/delivery"
import { detailsSelectedAtFirst, variableByName, variableField } from "@tocsin/domain/forms"
import { description, descriptionSpec } from "@tocsin/domain/kernel"
import { foreign, foreignObject } from "./Foreign.ts"
import { alertConditionSpec, alertPolicySpecOf, policyToSpec } from "./OpenSloAlertPolicy.ts"
import { documentOf, type OpenSloDocuments, partOf, referenceOf } from "./OpenSloDocuments.ts"
import { partMetadata, writtenName } from "./OpenSloMetadata.ts"
import type { ConversionResult } from "./ConversionResult.ts"
import type { ConversionOptions } from "./Conversion.ts"
import { dataSourceSpec, sli } from "./OpenSloSli.ts"
import { alphaSloSpecOf } from "./OpenSloV1Alpha.ts"
import { type PolicyOfSlo, type SloParts, sloSpecOf, sloToSpec } from "./OpenSloSlo.ts"

/** Converts OpenSLO documents of v1 and v1alpha. Returns whether every object was converted. */
export function* convertOpenSlo(
  documents: OpenSloDocuments,
  result: ConversionResult,
  options: ConversionOptions,
): Parts<boolean> {
  const { project, webhookUrl, prometheusUrl, dataSource: sourceName, promql } = options
  const methods = new Map<string, { readonly webhook: Record<string, unknown> }>()
  const quietPolicies: Array<QuietPolicy> = []
  let isComplete = documents.omitted === 0

  /** Records that an object was omitted. */
  const kept = (name: string | undefined): string | undefined => {
    if (name === undefined) isComplete = false
    return name
  }

  /** Returns the name of the service. */
  const service: Reader<string> = (value, path, issues, context) => {
    const read = serviceDocument.read(value, path, issues, context)
    return kept(read && result.add("Service", read.metadata, read.spec, issues, placeBelow(path)))
  }

  /** Returns the name of the alert method. */
  const target: Reader<string> = (value, path, issues, context) => {
    const read = targetDocument.read(value, path, issues, context)
    if (read === undefined) return kept(undefined)
    const known = result.nameOf("AlertMethod", read.metadata.name)
    if (methods.has(known)) {
      issues.add(joinPaths(path, "metadata.name"), "duplicate", sameName)
      return known
    }
    const { target: written, ...spec } = read.spec
    const isUrl = Result.isSuccess(parseWebhookUrl(written, anyAddress))
    const url = isUrl ? written : webhookUrl
    if (!isUrl) issues.add(joinPaths(path, "spec.target"), "not_allowed_value", targetMessage(url))
    const webhook = { ...(url !== undefined && { url }), templateFields }
    const name = kept(
      result.add("AlertMethod", read.metadata, { ...spec, webhook }, issues, placeBelow(path)),
    )
    if (name !== undefined) methods.set(name, { webhook })
    return name
  }

  const targetEntry: Reader<string> = (value, path, issues, context) => {
    const name = referenceOf("targetRef", value, path, issues, context)
    if (name === undefined) return target(value, path, issues, context)
    if (documents.has("AlertNotificationTarget", name)) {
      return documents.read("AlertNotificationTarget", name, target)
    }
    issues.add(referencePath(value, path, "targetRef"), "not_found", notDescribed)
    return result.nameOf("AlertMethod", name)
  }

  const policySpec = alertPolicySpecOf({
    hasCondition: (name) => documents.has("AlertCondition", name),
    findCondition: (name) => documents.read("AlertCondition", name, condition.read)?.spec,
    target: foreign(targetEntry),
  })
  const policyDocument = documentOf("AlertPolicy", policySpec)
  const policyNames = new Map<string, PolicyOfSlo>()

  const policy: Reader<PolicyOfSlo> = (value, path, issues, context) => {
    const read = policyDocument.read(value, path, issues, context)
    if (read === undefined) {
      kept(undefined)
      return undefined
    }
    const known = policyNames.get(read.metadata.name)
    if (known !== undefined) {
      issues.add(joinPaths(path, "metadata.name"), "duplicate", sameName)
      return known
    }
    const { notifiesWhenResolved, notifiesWhenNoData, alertMethods } = read.spec
    const spec = policyToSpec(read.spec, project, issues, (property) => joinPaths(path, property))
    const name = kept(spec && result.add("AlertPolicy", read.metadata, spec, issues, placeBelow(path)))
    if (name !== undefined && !notifiesWhenResolved) quietPolicies.push({ issues, path, alertMethods })
    if (name !== undefined && notifiesWhenResolved) {
      for (const method of alertMethods) setResolution(methods.get(method)?.webhook)
    }
    const made = {
      ...(name !== undefined && { name }),
      noDataMethods: notifiesWhenNoData ? alertMethods : [],
    }
    policyNames.set(read.metadata.name, made)
    return made
  }

  const policyEntry = foreign<PolicyOfSlo>((value, path, issues, context) => {
    const name = referenceOf("alertPolicyRef", value, path, issues, context)
    if (name === undefined) return policy(value, path, issues, context) ?? nothing
    const at = referencePath(value, path, "alertPolicyRef")
    if (!documents.has("AlertPolicy", name)) {
      issues.add(at, "not_found", notDescribed)
      return { name: result.nameOf("AlertPolicy", name), noDataMethods: [] }
    }
    const found = documents.read("AlertPolicy", name, policy) ?? nothing
    if (found.name === undefined) issues.add(at, "not_found", "is omitted because the policy is omitted")
    return found
  })

  const indicator = sli((name) => documents.read("DataSource", name, dataSource.read)?.spec, promql)
  const parts: SloParts = {
    indicator,
    indicatorRef: foreign((value, path, issues, context) => {
      const name = writtenName.read(value, path, issues, context)
      if (name === undefined || documents.has("SLI", name))
        return documents.read("SLI", name ?? "", indicator.read)
      return issues.add(path, "not_found", "is omitted: no document defines this SLI")
    }),
    alertPolicy: policyEntry,
  }
  const sloDocument = documentOf("SLO", sloSpecOf(parts, options))
  const alphaSloDocument = documentOf("SLO", alphaSloSpecOf(policyEntry, options))

  const serviceOf = (written: string, issues: IssueList): string => {
    if (!documents.has("Service", written)) issues.add("spec.service", "not_found", notDescribed)
    return result.nameOf("Service", written)
  }

  /** Returns the name of the SLO. */
  const slo: Reader<string> = (value, path, issues, context) => {
    const isAlpha = isObject(value) && value["apiVersion"] === "openslo/v1alpha"
    const read = (isAlpha ? alphaSloDocument : sloDocument).read(value, path, issues, context)
    if (read === undefined) return kept(undefined)
    const surroundings = {
      service: serviceOf(read.spec.service, issues),
      project,
      prometheusUrl,
      dataSource: sourceName,
    }
    const spec = sloToSpec(read.spec, surroundings, issues)
    const placeOf = isAlpha ? (place: string) => joinPaths(path, place) : placeBelow(path)
    const name = kept(spec && result.add("SLO", read.metadata, spec, issues, placeOf))
    const { counts } = read.spec
    result.addSourceRatio(name, counts !== undefined && "sourceRatio" in counts ? counts : undefined)
    return name
  }

  yield* documents.readAll("Service", service)
  yield* documents.readAll("AlertNotificationTarget", target)
  yield* documents.readAll("AlertPolicy", policy)
  yield* documents.readAll("SLO", slo)
  documents.reportUnread("is omitted: nothing refers to it")
  for (const { issues, path, alertMethods } of quietPolicies) {
    if (!alertMethods.some((name) => methods.get(name)?.webhook["sendResolution"] === true)) continue
    const message =
      "is ignored: an alert method sends the resolution of all alerts or none, and another policy requires it"
    issues.add(joinPaths(path, "spec.alertWhenResolved"), "not_allowed_value", message)
  }
  return isComplete
}

/** A policy with `alertWhenResolved: false`. */
interface QuietPolicy {
  readonly issues: IssueList
  readonly path: string
  readonly alertMethods: ReadonlyArray<string>
}

const nothing: PolicyOfSlo = { noDataMethods: [] }

const sameName = "is omitted: an earlier document has the same name"
const notDescribed = "is not in the documents; it must exist when the result is applied"

const targetMessage = (url: string | undefined): string =>
  url === undefined
    ? "becomes a webhook, the only supported kind; set spec.webhook.url before you apply it"
    : "becomes a webhook to the given URL"

/** Where a property of the definition is in the document; only time windows have another name. */
const placeBelow =
  (path: string) =>
  (place: string): string =>
    joinPaths(path, place.replace(/^spec\.timeWindows\b/, "spec.timeWindow"))

const setResolution = (webhook: Record<string, unknown> | undefined): void => {
  if (webhook !== undefined) webhook["sendResolution"] = true
}

const referencePath = (value: unknown, path: string, property: string): string =>
  typeof value === "string" ? path : joinPaths(path, property)

const condition = partOf("AlertCondition", alertConditionSpec, partMetadata)
const dataSource = partOf("DataSource", dataSourceSpec, partMetadata)

const serviceDocument = documentOf("Service", descriptionSpec)
const targetDocument = documentOf(
  "AlertNotificationTarget",
  foreignObject({ description: optional(description), target: string({ max: webhookUrlMaxCharacters }) }),
)

const templateFields = detailsSelectedAtFirst.flatMap((name) => {
  const variable = variableByName.get(name)
  return variable === undefined ? [] : [variableField(variable)]
})
