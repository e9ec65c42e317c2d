export { newCompleteStrategy, PromQLExtension } from '@prometheus-io/codemirror-promql';
