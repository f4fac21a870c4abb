import { entryPath, isPlainName, type Issue, propertyPath } from "@tocsin/domain/codec"

/**
 * Finds a key that an earlier key of the same object equals, which `JSON.parse` accepts. `"a"` and `"\u0061"` are the
 * same key. The text must be valid JSON.
 *
 * One pass without recursion, in time linear in the text. The path of the issue ends early where a key could be a
 * misplaced secret, or is nested deeper than any document.
 */
export const findDuplicateKey = (text: string): Issue | undefined => {
  const levels: Array<Level> = []
  let level: Level | undefined
  let isKeyNext = false
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quotationMark: {
        const start = at
        at = endOfString(text, start)
        if (!isKeyNext || level === undefined) break
        isKeyNext = false
        const key = textBetween(text, start, at)
        const isDuplicate = hasKey(level, key)
        level.keys.push(key)
        if (isDuplicate) return duplicateKeyIssue(levels)
        break
      }
      case comma:
        if (level?.index === undefined) isKeyNext = true
        else level.index += 1
        break
      case leftBrace:
      case leftBracket:
        isKeyNext = text.charCodeAt(at) === leftBrace
        level = { index: isKeyNext ? undefined : 0, keys: [], seen: undefined }
        levels.push(level)
        break
      case rightBrace:
      case rightBracket:
        levels.pop()
        level = levels.at(-1)
        isKeyNext = false
        break
    }
  }
  return undefined
}

const quotationMark = 0x22
const comma = 0x2c
const leftBracket = 0x5b
const backslash = 0x5c
const rightBracket = 0x5d
const leftBrace = 0x7b
const rightBrace = 0x7d

/** An array or object that is not complete yet. */
export interface KeyLevel {
  /** The index of the current entry of an array; `undefined` for an object. */
  readonly index: number | undefined
  /** The keys of an object so far, at least the latest one. */
  readonly keys: ReadonlyArray<string>
}

interface Level extends KeyLevel {
  index: number | undefined
  readonly keys: Array<string>
  /** The same keys, once there are many. */
  seen: Set<string> | undefined
}

const endOfString = (text: string, start: number): number => {
  let end = start + 1
  for (let code = text.charCodeAt(end); code !== quotationMark; code = text.charCodeAt(++end)) {
    if (code === backslash) end++
  }
  return end
}

/** The text between two quotation marks, without escape sequences. */
export const textBetween = (text: string, start: number, end: number): string => {
  const key = text.slice(start + 1, end)
  return key.includes("\\") ? (JSON.parse(`"${key}"`) as string) : key
}

const hasKey = (level: Level, key: string): boolean => {
  if (level.keys.length < comparedKeysMax) return level.keys.includes(key)
  level.seen ??= new Set(level.keys)
  if (level.seen.has(key)) return true
  level.seen.add(key)
  return false
}

/** The most keys of an object that are compared one by one. */
const comparedKeysMax = 16

/** The issue of the latest key of the innermost level, which is there twice. */
export const duplicateKeyIssue = (levels: ReadonlyArray<KeyLevel>): Issue => {
  let path = ""
  for (const [depth, { index, keys }] of levels.entries()) {
    const key = keys.at(-1) ?? ""
    if (depth === pathPartsMax || (index === undefined && !isPlainName(key))) {
      return { path, code: "duplicate", message: "contains the same key twice in one object" }
    }
    path = index === undefined ? propertyPath(path, key) : entryPath(path, index)
  }
  return { path, code: "duplicate", message: "must be unique: the key is duplicated in this object" }
}

const pathPartsMax = 64
