import * as Schema from "effect/Schema"
import { pageSizeMax } from "@tocsin/domain/pagination/Page"

/** Describes a date-time. */
export const dateTime = (description: string) => Schema.String.annotate({ description, format: "date-time" })

/** The ID of a delivery, or of a bulk resend, in the path. */
export const IdParam = Schema.Struct({ id: Schema.String })

/** The page of deliveries or bulk resends to return. */
export const PageParams = Schema.Struct({
  limit: Schema.optionalKey(
    Schema.FiniteFromString.annotate({
      description: `At most ${pageSizeMax}, which is the default`,
    }),
  ),
  cursor: Schema.optionalKey(Schema.String.annotate({ description: "From links.next" })),
})

/** The project and name of an object. */
export const KeySchema = Schema.Struct({ project: Schema.String, name: Schema.String })

/** The links of a page. */
export const PageLinksSchema = Schema.Struct({ self: Schema.String, next: Schema.optionalKey(Schema.String) })
