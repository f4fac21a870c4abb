import { entryPath, type Issue, isPlainName, propertyPath } from "@tocsin/domain/codec/Issue"

/**
 * Finds a key that an earlier key of the same object equals, which `JSON.parse` passes over. `"a"` and `"\u0061"` are
 * the same key. The text must be valid JSON.
 *
 * One pass without recursion, in time linear in the text; it creates no strings unless the hashes of two keys are equal
 * or an object has many keys. The path of the issue ends early where a key could be a misplaced secret, or is nested
 * deeper than any document.
 */
export const findDuplicateKey = (text: string): Issue | undefined => {
  // By level of nesting: the index of the current entry of an array, or -1 for an object, and how many keys are open above.
  const indexes: Array<number> = []
  const bases: Array<number> = []
  const keys: OpenKeys = { text, starts: [], ends: [], hashes: [] }
  let isArray = true
  let isKeyNext = false
  let keyCount = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quotationMark: {
        const start = at
        at = isKeyNext ? readKey(keys, keyCount++, start) : endOfString(text, start)
        isKeyNext = false
        break
      }
      case comma:
        if (isArray) indexes[indexes.length - 1] = (indexes.at(-1) ?? 0) + 1
        else isKeyNext = true
        break
      case leftBrace:
      case leftBracket:
        isArray = text.charCodeAt(at) === leftBracket
        isKeyNext = !isArray
        indexes.push(isArray ? 0 : -1)
        bases.push(keyCount)
        break
      case rightBrace:
      case rightBracket: {
        const base = bases.at(-1) ?? 0
        const duplicate = isArray ? undefined : duplicateAmong(keys, base, keyCount)
        if (duplicate !== undefined) return issueAt(keys, duplicate, indexes, bases)
        indexes.pop()
        bases.pop()
        keyCount = base
        isArray = (indexes.at(-1) ?? 0) >= 0
        isKeyNext = false
        break
      }
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

/** The keys of the objects that are open, outermost first; what is beyond the current count is left over. */
interface OpenKeys {
  readonly text: string
  /** Offsets of the quotation marks around each key. */
  readonly starts: Array<number>
  readonly ends: Array<number>
  readonly hashes: Array<number>
}

/** Pushes the key that begins at `start`; returns the offset of its closing quotation mark. */
const readKey = (keys: OpenKeys, index: number, start: number): number => {
  let hash = 0
  let isEscaped = false
  let end = start + 1
  for (let code = keys.text.charCodeAt(end); code !== quotationMark; code = keys.text.charCodeAt(++end)) {
    hash = (Math.imul(hash, 31) + code) | 0
    if (code === backslash) {
      isEscaped = true
      end++
    }
  }
  keys.starts[index] = start
  keys.ends[index] = end
  keys.hashes[index] = isEscaped ? hashOf(keyAt(keys, index)) : hash
  return end
}

const hashOf = (key: string): number => {
  let hash = 0
  for (let at = 0; at < key.length; at++) hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0
  return hash
}

const endOfString = (text: string, start: number): number => {
  let end = start + 1
  for (let code = text.charCodeAt(end); code !== quotationMark; code = text.charCodeAt(++end)) {
    if (code === backslash) end++
  }
  return end
}

/** The index of a key that is equal to one before it, among the keys of one object. */
const duplicateAmong = (keys: OpenKeys, from: number, to: number): number | undefined => {
  if (to - from <= comparedKeysMax && !hasEqualHashes(keys.hashes, from, to)) return undefined
  const seen = new Set<string>()
  for (let index = from; index < to; index++) {
    const key = keyAt(keys, index)
    if (seen.has(key)) return index
    seen.add(key)
  }
  return undefined
}

/** The most keys of which each hash is compared with each other one. */
const comparedKeysMax = 16

const hasEqualHashes = (hashes: ReadonlyArray<number>, from: number, to: number): boolean => {
  for (let index = from + 1; index < to; index++) {
    for (let earlier = from; earlier < index; earlier++) {
      if (hashes[earlier] === hashes[index]) return true
    }
  }
  return false
}

const keyAt = ({ text, starts, ends }: OpenKeys, index: number): string => {
  const written = text.slice(starts[index], (ends[index] ?? 0) + 1)
  return written.includes("\\") ? (JSON.parse(written) as string) : written.slice(1, -1)
}

const issueAt = (
  keys: OpenKeys,
  duplicate: number,
  indexes: ReadonlyArray<number>,
  bases: ReadonlyArray<number>,
): Issue => {
  let path = ""
  for (const [level, index] of indexes.entries()) {
    const key = index < 0 ? keyAt(keys, (bases[level + 1] ?? duplicate + 1) - 1) : undefined
    if (level === pathPartsMax || (key !== undefined && !isPlainName(key))) {
      return { path, code: "duplicate", message: "contains the same key twice in one object" }
    }
    path = key === undefined ? entryPath(path, index) : propertyPath(path, key)
  }
  return { path, code: "duplicate", message: "must be unique: the key is duplicated in this object" }
}

/** The most parts of a path. */
const pathPartsMax = 64
