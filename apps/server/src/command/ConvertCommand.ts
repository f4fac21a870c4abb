import * as Result from "effect/Result"
import { InvalidArgumentError, Option as Flag } from "commander"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { writeDocuments, yamlFormat } from "@tocsin/adapters-http/documents/WriteDocuments"
import { type AddressPolicy, anyAddress } from "@tocsin/domain/alert-method/AddressPolicy"
import { parseSourceUrl, parseWebhookUrl, type WebhookUrl } from "@tocsin/domain/alert-method/WebhookUrl"
import { convertOpenSlo } from "@tocsin/domain/openslo/ConvertOpenSlo"
import { serverDefaults } from "../config/ServerConfig.ts"
import { terminalText } from "../terminal/TerminalText.ts"
import { ApiCommand, type CommandContext, CommandFailed } from "./CommandContext.ts"
import { objectName, readDocumentsOf } from "./DefinitionFiles.ts"

export const convertCommand = (context: CommandContext): ApiCommand =>
  new ApiCommand("convert")
    .summary("convert OpenSLO documents to definitions")
    .description(
      "Convert OpenSLO v1 documents to definitions and print them. Fields that cannot be converted are reported on stderr.",
    )
    .addOption(
      new Flag(
        "-f, --file <file...>",
        "YAML or JSON file with OpenSLO documents; - reads stdin",
      ).makeOptionMandatory(),
    )
    .projectFlag()
    .option(
      "--webhook-url <url>",
      "webhook URL of the alert methods (OpenSLO notification targets have no URL)",
      urlBy(parseWebhookUrl),
    )
    .option(
      "--prometheus-url <url>",
      "Prometheus URL of indicators whose data source has no URL",
      urlBy(parseSourceUrl),
    )
    .examples(
      "  # Convert a file, then apply the result\n  $ tocsin convert -f openslo.yaml > tocsin.yaml && tocsin apply -f tocsin.yaml",
    )
    .action((flags: ConvertFlags) => context.run(convert(flags, context)))

interface ConvertFlags {
  readonly file: ReadonlyArray<string>
  readonly project: string
  readonly webhookUrl?: string
  readonly prometheusUrl?: string
}

const convert = (
  { file: files, project, webhookUrl, prometheusUrl }: ConvertFlags,
  context: CommandContext,
) =>
  Effect.gen(function* () {
    const documents = yield* readDocumentsOf(files)
    const { definitions, notes, isComplete } = convertOpenSlo(
      documents.map(({ document }) => document),
      {
        vendorPrefix: context.environment["TOCSIN_VENDOR_PREFIX"] || serverDefaults.vendorPrefix,
        project,
        ...(webhookUrl !== undefined && { webhookUrl }),
        ...(prometheusUrl !== undefined && { prometheusUrl }),
      },
    )
    for (const { document: at, path, message } of notes) {
      const from = documents[at]
      const name = objectName(from?.document)
      const place = `${from?.file}, document ${(from?.index ?? 0) + 1}${name === undefined ? "" : ` (${name})`}`
      yield* Console.error(terminalText([place, path, message].filter((part) => part !== "").join(": ")))
    }
    yield* Effect.sync(() => process.stdout.write(writeDocuments(yamlFormat, definitions)))
    if (!isComplete)
      return yield* new CommandFailed({
        message: "some documents were not converted; see the messages above",
      })
  })

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
