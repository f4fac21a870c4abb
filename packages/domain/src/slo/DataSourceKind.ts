import type { KindDescription } from "../metadata/KindDescription.ts"
import { objectName } from "../metadata/Metadata.ts"
import { type DataSource, dataSource, type DataSourceDraft } from "./DataSource.ts"
import { resolveHiddenSource } from "./ResolveHiddenSource.ts"

export const dataSourceKind = {
  kind: "DataSource",
  shortName: "ds",
  words: "a data source",
  home: "project",
  codec: dataSource,
  name: objectName,
  resolve: resolveHiddenSource,
} as const satisfies KindDescription<DataSourceDraft, DataSource>
