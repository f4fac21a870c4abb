import { Link } from "wouter"
import type { DefinitionKey } from "../api/Definitions.ts"
import { objectName, shownName } from "./ObjectName.ts"

/** What people call an object, and what tells it from others of that name: its project, with its name if that is another one. */
export const NamedObject = ({
  project,
  name,
  displayName,
  href,
}: DefinitionKey & { readonly displayName?: string | undefined; readonly href?: string }) => {
  const shown = <bdi>{shownName({ displayName, name })}</bdi>
  return (
    <>
      {href === undefined ? shown : <Link href={href}>{shown}</Link>}{" "}
      <bdi className="dim small">{objectName({ project, name }, displayName).detail ?? project}</bdi>
    </>
  )
}
