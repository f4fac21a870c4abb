import * as Result from "effect/Result"
import { InvalidArgumentError } from "commander"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { writeDocuments, yamlFormat } from "@tocsin/formats/documents"
import { promqlAdvisor, promqlParser } from "@tocsin/promql"
import {
  type AddressPolicy,
  anyAddress,
  parseSourceUrl,
  parseWebhookUrl,
  type WebhookUrl,
} from "@tocsin/domain/delivery"
import { convertDocuments, readOpenSloDuration, toRollingWindow } from "@tocsin/formats"
import { namePattern } from "@tocsin/domain/kernel"
import { vendorPrefixOf } from "../config/Environment.ts"
import { printWarnings } from "../client/Warnings.ts"
import { terminalText } from "../terminal/TerminalText.ts"
import { checkConversion } from "./ConvertCheck.ts"
import { CommandFailed, printText } from "./CommandContext.ts"
import { work } from "./Commands.ts"
import { objectName, readDocumentsOf } from "./DefinitionFiles.ts"
import { files, given, parsed, project } from "./Flags.ts"

export const convertCommand = work(
  {
    summary: "convert OpenSLO, Sloth and Pyrra documents to definitions",
    description:
      "Convert documents of OpenSLO (v1, v1alpha), Sloth and Pyrra, and the Prometheus rules that Sloth and Pyrra generate, to definitions and print them. Fields that cannot be converted are reported on stderr.",
    flags: {
      ...files("documents"),
      ...project,
      webhookUrl: parsed(
        "<url>",
        "webhook URL of the alert methods (OpenSLO notification targets have no URL)",
        urlBy(parseWebhookUrl),
      ),
      prometheusUrl: parsed(
        "<url>",
        "Prometheus URL of indicators whose document has no URL",
        urlBy(parseSourceUrl),
      ),
      service: parsed("<name>", "service of SLOs whose document has none (Pyrra)", serviceName),
      slothWindow: parsed(
        "<duration>",
        "rolling time window of SLOs whose document has none, as with Sloth, such as 28d (default: 30d)",
        rollingWindow,
      ),
      check: given(
        "query the last hour from Prometheus with the original and the converted queries, and report both on stderr",
      ),
    },
    examples:
      "  # Convert a file, then apply the result\n  $ tocsin convert -f openslo.yaml > tocsin.yaml && tocsin apply -f tocsin.yaml\n\n  # Convert the Pyrra SLOs of a Kubernetes cluster\n  $ kubectl get slo -A -o yaml | tocsin convert -f - --service shop --prometheus-url https://prometheus.example.com",
  },
  (flags, context) =>
    Effect.gen(function* () {
      const { project, webhookUrl, prometheusUrl, service, slothWindow, check } = flags
      const documents = yield* readDocumentsOf(flags)
      const vendorPrefix = vendorPrefixOf(context.environment)
      const { definitions, notes, isComplete, warnings, sourceRatios } = convertDocuments(
        documents.map(({ document }) => document),
        {
          vendorPrefix,
          project,
          promql: promqlParser,
          promqlAdvisor,
          ...(webhookUrl !== undefined && { webhookUrl }),
          ...(prometheusUrl !== undefined && { prometheusUrl }),
          ...(service !== undefined && { service }),
          ...(slothWindow !== undefined && { slothWindow }),
        },
      )
      for (const { document: at, path, message } of notes) {
        const from = documents[at]
        const name = objectName(from?.document)
        const place = `${from?.file}, document ${(from?.index ?? 0) + 1}${name === undefined ? "" : ` (${name})`}`
        yield* Console.error(terminalText([place, path, message].filter((part) => part !== "").join(": ")))
      }
      yield* printWarnings(warnings, (path) => {
        const [, index = "0", below = ""] = /^(?:\[(\d+)\]\.?)?(.*)$/s.exec(path) ?? []
        return [objectName(definitions[Number(index)]) ?? "", below].filter((part) => part !== "").join(": ")
      })
      if (check === true) {
        for (const line of yield* checkConversion({ definitions, sourceRatios }, vendorPrefix)) {
          yield* Console.error(terminalText(line))
        }
      }
      yield* printText(writeDocuments(yamlFormat, definitions))
      if (!isComplete)
        return yield* new CommandFailed({
          message: "some documents were not converted; see the messages above",
        })
    }),
)

function serviceName(text: string): string {
  if (namePattern.test(text)) return text
  throw new InvalidArgumentError("It must be a valid name: lowercase letters, digits and hyphens.")
}

function rollingWindow(text: string) {
  const duration = readOpenSloDuration(text)
  const window = duration && toRollingWindow(duration)
  if (window !== undefined) return window
  throw new InvalidArgumentError("It must be a whole number of m, h, d or w, such as 28d.")
}

function urlBy(
  parse: (text: string, policy: AddressPolicy) => Result.Result<WebhookUrl, { readonly message: string }>,
): (text: string) => string {
  return (text) => {
    // The server decides which addresses are allowed.
    const url = parse(text, anyAddress)
    if (Result.isSuccess(url)) return text
    throw new InvalidArgumentError(`It ${url.failure.message}.`)
  }
}
