import { statusPageSubscriptions } from "@tocsin/api"
import { commands, listed, printed } from "./Commands.ts"
import { client, text } from "./Flags.ts"

export const subscriptionCommand = commands(
  "list and delete subscriptions to status pages",
  "List and delete the subscriptions of people and programs to status pages. Needs the admin role.",
  {
    list: listed(statusPageSubscriptions, "listStatusPageSubscriptions", {
      summary: "list subscriptions",
      description: "List subscriptions to status pages, in the order in which they were requested.",
      flags: { project: text("<name>", "filter by the project of the status page"), ...client },
      examples: "  $ tocsin subscription list --project shop",
      empty: "No subscriptions.",
      columns: {
        ID: ({ id }) => id,
        PROJECT: ({ project }) => project,
        KIND: ({ kind }) => kind,
        CONTACT: ({ contact }) => contact,
        CONFIRMED: ({ confirmedAt }) => confirmedAt ?? "",
      },
    }),
    delete: printed(statusPageSubscriptions, "deleteStatusPageSubscription", {
      summary: "delete a subscription",
      description: "Delete a subscription with its email address or URL. Nothing more is sent to it.",
      arguments: { id: "ID of the subscription, as printed by `list`" },
      flags: client,
      text: (_, { id }) => `Subscription ${id} was deleted.`,
    }),
  },
)
