import * as Effect from "effect/Effect"
import { standardOutput } from "../terminal/Terminal.ts"
import { apiClient, printText } from "./CommandContext.ts"
import { work } from "./Commands.ts"
import { describeObject } from "./DescribeObject.ts"
import { findObject } from "./FindObject.ts"
import { organization, project, url } from "./Flags.ts"

export const describeCommand = work(
  {
    summary: "show objects with their status",
    description:
      "Show objects with related information: an SLO with its error budgets, alert policies and open alerts, an alert method with its health and latest deliveries. Use `tocsin get` for scripts.",
    arguments: {
      kind: "kind of the objects, as in `tocsin get`, for example slo or alert",
      "name...": "names of the objects",
    },
    flags: { ...project, ...organization, ...url },
    examples:
      "  # An SLO\n  $ tocsin describe slo checkout-latency -p shop\n\n  # An alert method with its latest deliveries\n  $ tocsin describe am on-call",
  },
  ({ kind, name: names, ...flags }, context) =>
    Effect.gen(function* () {
      const client = yield* apiClient(flags, context)
      const terminal = standardOutput(context.environment)
      for (const [index, name] of names.entries()) {
        const object = yield* findObject(client, kind, flags.project, name)
        const text = yield* describeObject(client, object, terminal)
        yield* printText(index === 0 ? text : `\n${text}`)
      }
    }),
)
