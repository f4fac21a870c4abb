/** Pages of lists, and cursors. */
export { CursorIsInvalid, readCursor, writeCursor } from "../pagination/Cursor.ts"
export { parseChoices } from "../pagination/ListFilter.ts"
export {
  type ListedPage,
  type Page,
  type PageLinks,
  pageLinks,
  type PageQuery,
  type PageRequest,
  pageSizeMax,
} from "../pagination/Page.ts"
