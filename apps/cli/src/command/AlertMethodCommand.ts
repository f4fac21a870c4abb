import { type AlertMethodHealth, alertMethods } from "@tocsin/api"
import * as Effect from "effect/Effect"
import { resourceClient } from "./CommandContext.ts"
import { commands, printed, work } from "./Commands.ts"
import { printTest, readDefinition } from "./DefinitionFiles.ts"
import { client, project, required, text } from "./Flags.ts"

/** Whether deliveries are sent, and how the latest went, over several lines. */
export const healthText = (health: AlertMethodHealth): string => {
  const { isDisabled, disabledAt, disabledBecause, circuitOpenUntil, failures, failingSince } = health
  return [
    isDisabled ? `disabled since ${disabledAt}: ${disabledBecause}` : "enabled",
    health.lastSuccessAt === undefined
      ? "no attempt has succeeded since it was created, changed or enabled"
      : `last success: ${health.lastSuccessAt}`,
    ...(failures > 0 ? [`failed attempts since then: ${failures}, the first at ${failingSince}`] : []),
    ...(circuitOpenUntil === undefined
      ? []
      : [
          `circuit breaker open: no attempt starts before ${circuitOpenUntil}; \`tocsin delivery list -s pending\` lists what waits, and \`tocsin delivery get ID\` shows why attempts failed`,
        ]),
    ...(health.isPaused ? ["paused"] : []),
    ...(health.isAllPaused ? ["all deliveries of the server are paused"] : []),
    `in flight: ${health.inFlight}`,
  ].join("\n")
}

const named = {
  arguments: { name: "name of the alert method" },
  flags: { ...project, ...client },
  text: healthText,
}

export const alertMethodCommand = commands(
  "test, preview and enable alert methods",
  "Test and preview alert methods, show their health, and enable them.",
  {
    test: work(
      {
        summary: "send a test notification",
        description:
          "Send a test notification with sample values through an alert method, stored or in a file, and print the result.",
        arguments: { "name?": "name of the alert method" },
        flags: {
          file: text("<file>", "YAML or JSON file with one alert method; - reads stdin", "f"),
          ...project,
          ...client,
        },
        examples: "  $ tocsin alertmethod test on-call -p shop\n  $ tocsin alertmethod test -f on-call.yaml",
      },
      (given, context) =>
        printTest(
          "AlertMethod",
          given,
          Effect.map(resourceClient(alertMethods, given, context), (api) => ({
            stored: api.testAlertMethod,
            proposed: (definition) => api.testProposedAlertMethod({ body: { definition } }),
          })),
          ({ message }) => message,
        ),
    ),
    preview: printed(alertMethods, "previewAlertMethod", {
      summary: "print the notification of an alert method that is not yet applied",
      description:
        "Print the notification that an alert method would send, with sample values. Nothing is stored or sent.",
      flags: {
        file: required("<file>", "YAML or JSON file with one alert method; - reads stdin", "f"),
        ...project,
        ...client,
      },
      examples: "  $ tocsin alertmethod preview -f on-call.yaml",
      request: ({ file, project }) =>
        Effect.map(readDefinition("AlertMethod", file, project), (body) => ({ body })),
      text: ({ headers, body }) =>
        [...headers.map(({ name, value }) => `${name}: ${value}`), "", body].join("\n"),
    }),
    health: printed(alertMethods, "findAlertMethodHealth", {
      ...named,
      summary: "show whether notifications arrive",
      description:
        "Show whether the notifications of an alert method arrive, and whether it is disabled or paused.",
      examples: "  $ tocsin alertmethod health on-call -p shop",
    }),
    enable: printed(alertMethods, "enableAlertMethod", {
      ...named,
      summary: "enable an alert method that was disabled",
      description:
        "Enable an alert method that was disabled because its receiver responded with 410 or kept failing. Deliveries that failed in the meantime are not sent; resend them with `tocsin resend start`.",
      examples: "  $ tocsin alertmethod enable on-call -p shop",
    }),
  },
)
