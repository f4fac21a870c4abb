import { Link } from "wouter"
import type { DefinitionKey } from "../api/Definitions.ts"
import { objectName, shownName } from "./ObjectName.ts"

/** The display name of an object, and its project, or its key if the display name is not its name. */
export const NamedObject = ({
  project,
  name,
  displayName,
  href,
}: DefinitionKey & { readonly displayName?: string | undefined; readonly href?: string | undefined }) => {
  const shown = <bdi>{shownName({ displayName, name })}</bdi>
  return (
    <>
      {href === undefined ? shown : <Link href={href}>{shown}</Link>}{" "}
      <bdi className="dim small">{objectName({ project, name }, displayName).detail ?? project}</bdi>
    </>
  )
}
