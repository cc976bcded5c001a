export { TemplatePreview } from './preview.tsx';
export { Design } from './templates.tsx';
