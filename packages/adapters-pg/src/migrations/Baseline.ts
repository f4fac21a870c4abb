import { accessTables } from "./AccessTables.ts"
import { alertTables } from "./AlertTables.ts"
import { definitionTables } from "./DefinitionTables.ts"
import { deliveryTables } from "./DeliveryTables.ts"
import { functions } from "./Functions.ts"
import { sloTables } from "./SloTables.ts"

/**
 * The first version of the schema.
 *
 * - Every key starts with the organization, so that a distributed PostgreSQL can shard by it. Keys of signing and of
 *   encryption belong to the instance instead; a distributed PostgreSQL keeps them on every node.
 * - Times are Unix milliseconds.
 * - Text that is sorted or paged through is `COLLATE "C"`: the byte order of UTF-8 is the order of code points.
 */
export const baseline: ReadonlyArray<string> = [
  ...functions,
  ...definitionTables,
  ...sloTables,
  ...alertTables,
  ...deliveryTables,
  ...accessTables,
]
