import { readFileSync, renameSync, writeFileSync } from "node:fs"

/** Writes a file in one step, so that nobody reads a part of it; a file that has the contents already stays as it is. */
export function replaceFile(path, contents, mode = 0o644) {
  if (isWritten(path, Buffer.from(contents))) return
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, contents, { mode })
  renameSync(draft, path)
}

export function isWritten(path, contents) {
  try {
    return readFileSync(path).equals(contents)
  } catch {
    return false
  }
}
