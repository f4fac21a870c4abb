import * as Result from "effect/Result"
import * as Redacted from "effect/Redacted"
import { description } from "../metadata/Metadata.ts"
import { entryPath } from "../codec/Issue.ts"
import { objectOf } from "../codec/ObjectRule.ts"
import { isStorable, listOf, notStorableMessage, type Rule, text, trueOrFalse } from "../codec/Rule.ts"
import { Limits } from "../Limits.ts"
import { templateFieldsToTemplate } from "../template/TemplateFields.ts"
import { parseTemplate } from "../template/Template.ts"
import type { AddressPolicy } from "./AddressPolicy.ts"
import type { AlertMethodDraft } from "./AlertMethod.ts"
import { customHeaders } from "./CustomHeader.ts"
import { hiddenValue } from "./HiddenValue.ts"
import { parseWebhookUrl } from "./WebhookUrl.ts"

/** The property `spec` of an alert method. Source: contract section 2.1; decision 0112. */
export const alertMethodSpec = (addressPolicy: AddressPolicy): Rule<AlertMethodDraft["spec"]> =>
  objectOf((reader) => {
    const said = reader.optional("description", description)
    const read = reader.required("webhook", webhook(addressPolicy))
    if (read === undefined) return undefined
    return { ...(said !== undefined && { description: said }), webhook: read }
  })

const webhook = (addressPolicy: AddressPolicy): Rule<AlertMethodDraft["spec"]["webhook"]> =>
  objectOf((reader) => {
    const url = reader.optional("url", webhookUrl(addressPolicy))
    const whole = reader.optionalOrEmpty("template", template)
    const fields = reader.optional("templateFields", templateFields)
    const headers = reader.has("headers") ? reader.optional("headers", customHeaders) : []
    const sendResolution = reader.optional("sendResolution", trueOrFalse) ?? false

    // Which of the two is given is a matter of what is written, not of whether it could be read.
    const written = reader.valueOf("template")
    const hasTemplate = written !== undefined && written !== null
    const listed = reader.valueOf("templateFields")
    const hasFields = Array.isArray(listed) ? listed.length > 0 : reader.has("templateFields")
    if (hasTemplate && hasFields) {
      reader.issues.add(
        reader.path,
        "mutually_exclusive",
        "must have either template or templateFields, not both",
      )
    }
    if (!hasTemplate && !hasFields) {
      reader.issues.add(reader.path, "required", "must have either template or templateFields")
    }
    if (headers === undefined) return undefined
    return {
      url: url?.given === undefined ? undefined : Redacted.make(url.given),
      ...(whole !== undefined && { template: whole }),
      ...(hasFields && fields !== undefined && { templateFields: fields }),
      headers,
      sendResolution,
    }
  })

/** Source: contract sections 2.1 and 8; decisions 0104 and 0310. */
const webhookUrl =
  (addressPolicy: AddressPolicy): Rule<{ readonly given: string | undefined }> =>
  (value, path, issues) => {
    if (value === hiddenValue) return { given: undefined }
    if (typeof value !== "string") return issues.add(path, "wrong_type", "must be text")
    const url = parseWebhookUrl(value, addressPolicy)
    return Result.isSuccess(url)
      ? { given: url.success.href }
      : issues.add(path, url.failure.code, url.failure.message)
  }

/** Source: contract section 2.1, rules 3 and 4; decisions 0107, 0109 and 0202. */
const template: Rule<string> = (value, path, issues) => {
  if (typeof value !== "string") {
    return issues.add(
      path,
      "wrong_type",
      "must be text that is JSON, not an object; write it after `template: |`",
    )
  }
  if (!isStorable(value)) return issues.add(path, "invalid_format", notStorableMessage)
  const parsed = parseTemplate(value)
  if (Result.isSuccess(parsed)) return value
  for (const { code, message, hint, line, column } of parsed.failure) {
    issues.add(
      path,
      code,
      `line ${line}, column ${column}: ${message}${hint === undefined ? "" : ` ${hint}`}`,
    )
  }
  return undefined
}

const fieldNames = listOf(text({ max: Limits.nameMaxCharacters }), { max: Limits.definitionEntriesMax })

/** Source: contract section 2.1; decisions 0107, 0108 and 0201. */
const templateFields: Rule<ReadonlyArray<string>> = (value, path, issues) => {
  const fields = fieldNames(value, path, issues)
  if (fields === undefined) return undefined
  const built = templateFieldsToTemplate(fields)
  if (Result.isSuccess(built)) return fields
  for (const { code, index, message, hint } of built.failure) {
    issues.add(
      entryPath(path, index),
      code === "field_duplicate" ? "duplicate" : "variable_unknown",
      `${message}${hint === undefined ? "" : ` ${hint}`}`,
    )
  }
  return undefined
}
