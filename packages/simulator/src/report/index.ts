// What others may use of the report.

export {
  type DiagramOptions,
  drawDiagram,
  type Highlight,
  type Layout,
  layOutDiagram,
} from "./diagram.js";
export { type ReportMeta, renderReport, type ShownViolation } from "./html.js";
export { renderMatrixMarkdown } from "./markdown.js";
export {
  describeFault,
  describePlan,
  type StoryLine,
  type StoryOptions,
  storyLines,
  tellStory,
} from "./story.js";
export { type MatrixTextOptions, renderMatrixText } from "./text.js";
