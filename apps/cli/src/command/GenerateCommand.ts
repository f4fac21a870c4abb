import * as Result from "effect/Result"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { writeDocuments, yamlFormat } from "@tocsin/formats/documents"
import { checkPromQl, counterExpression } from "@tocsin/promql"
import { decodeDefinition } from "@tocsin/domain"
import type { AlertPolicy } from "@tocsin/domain/alerting"
import { entryPath } from "@tocsin/domain/codec"
import type { Slo } from "@tocsin/domain/definitions"
import { anyAddress } from "@tocsin/domain/delivery"
import { prometheusRulesOf } from "@tocsin/formats/prometheus-rules"
import { vendorPrefixOf } from "../config/Environment.ts"
import { terminalText } from "../terminal/TerminalText.ts"
import { CommandFailed, printText } from "./CommandContext.ts"
import { commands, work } from "./Commands.ts"
import { objectName, readDefinitions } from "./DefinitionFiles.ts"
import { files, project } from "./Flags.ts"

export const generateCommand = commands(
  "generate configuration of other programs",
  "Generate configuration of other programs from definitions.",
  {
    prometheusRules: work(
      {
        summary: "generate Prometheus rules of SLOs",
        description:
          "Print a Prometheus rule file with the recording and alerting rules of SLOs and their alert policies. What rules cannot express is reported on stderr.",
        flags: { ...files("SLOs and alert policies"), ...project },
        examples:
          "  # Generate the rules of all SLOs of a project\n  $ tocsin get slos -p shop > slos.yaml\n  $ tocsin get alertpolicies -p shop > policies.yaml\n  $ tocsin generate prometheus-rules -f slos.yaml policies.yaml > rules.yaml\n  $ promtool check rules rules.yaml",
      },
      (flags, { environment }) =>
        Effect.gen(function* () {
          const { file: files, project } = flags
          const documents = yield* readDefinitions(flags, project)
          const vendorPrefix = vendorPrefixOf(environment)
          const problems: Array<string> = []
          const slos: Array<Slo> = []
          const policies = new Map<string, Map<string, AlertPolicy>>()
          for (const [index, document] of documents.entries()) {
            // The server decides which addresses are allowed.
            const decoded = decodeDefinition(document, {
              vendorPrefix,
              addressPolicy: anyAddress,
              checkPromQl,
            })
            if (Result.isFailure(decoded)) {
              const place = objectName(document) ?? entryPath("", index)
              for (const { path, message } of decoded.failure) problems.push(`${place}: ${path}: ${message}`)
              continue
            }
            const definition = decoded.success
            if (definition.kind === "SLO") slos.push(definition)
            if (definition.kind !== "AlertPolicy") continue
            const { metadata } = definition
            policies.set(
              metadata.project,
              (policies.get(metadata.project) ?? new Map()).set(metadata.name, definition),
            )
          }
          if (slos.length === 0 && problems.length === 0) {
            return yield* new CommandFailed({ message: `${files.join(", ")}: has no SLO` })
          }
          const groups = slos.flatMap((slo) => {
            const { group, issues } = prometheusRulesOf(
              slo,
              policies.get(slo.metadata.project) ?? new Map(),
              (expression) => counterExpression(expression).events,
            )
            for (const { path, message } of issues)
              problems.push(`SLO ${slo.metadata.name}: ${path}: ${message}`)
            return group ?? []
          })
          for (const problem of problems) yield* Console.error(terminalText(problem))
          // Without any, the list would be null, which Prometheus rejects.
          const list = groups.length === 0 ? " []\n" : `\n${writeDocuments(yamlFormat, groups)}`
          yield* printText(`groups:${list}`)
          if (problems.length > 0) {
            return yield* new CommandFailed({
              message: "some rules were not generated; see the messages above",
            })
          }
        }),
    ),
  },
)
