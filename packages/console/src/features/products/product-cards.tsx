import { HtmlField } from '../../shell/html-field/html-field.tsx';
import { ImageField } from '../../shell/image-field.tsx';
import type { Fields } from '../../shell/resource-form.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { RadioGroup } from '../../ui/choices.tsx';
import { Card, Facts } from '../../ui/layout.tsx';
import { TagsField } from '../../ui/tags-field.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useProductFormTexts } from './form-texts.ts';
import type { Product, ProductInput } from './queries.ts';
import { useProductTexts } from './texts.ts';

/** The name and the description of a product. */
export function BasicsCard({ form, isNew }: { form: Fields<ProductInput>; isNew: boolean }) {
  const words = useProductTexts();
  return (
    <Card title={words.basics}>
      <TextField label={words.name} {...form.field('name')} isRequired autoFocus={isNew} />
      <HtmlField label={words.description} rows={6} {...form.field('description', '')} />
    </Card>
  );
}

/** Where shoppers find a product: its status, address and tags. */
export function VisibilityCard({ form }: { form: Fields<ProductInput> }) {
  const words = useProductTexts();
  const common = useCommon();
  return (
    <Card title={words.visibility}>
      <RadioGroup
        label={common.status}
        choices={(['active', 'draft', 'archived'] as const).map((id) => ({
          id,
          text: words.status[id],
        }))}
        {...form.field('status', 'draft')}
      />
      <TextField label={words.slug} hint={words.slugHint} {...form.field('slug', '')} />
      <TagsField label={words.tags} hint={words.tagsHint} {...form.field('tags', [])} />
    </Card>
  );
}

/** The vendor and the tax category of a product. */
export function OrganisationCard({ form }: { form: Fields<ProductInput> }) {
  const texts = useProductFormTexts();
  return (
    <Card title={texts.organisation}>
      <TextField label={texts.vendor} hint={texts.vendorHint} {...form.field('vendor', '')} maxLength={200} />
      <TextField
        label={texts.taxCategory}
        hint={texts.taxCategoryHint}
        {...form.field('taxCategory', 'standard')}
        maxLength={60}
        isRequired
      />
    </Card>
  );
}

/** How search engines and social networks show a product. */
export function SearchEnginesCard({ form }: { form: Fields<ProductInput> }) {
  const texts = useProductFormTexts();
  const seo = form.within('seo');
  return (
    <Card title={texts.seo}>
      <TextField
        label={texts.seoTitle}
        hint={texts.seoTitleHint}
        {...seo.field('title', '')}
        maxLength={200}
      />
      <TextField label={texts.seoDescription} rows={3} {...seo.field('description', '')} maxLength={1_000} />
      <ImageField label={texts.seoImage} {...seo.field('imageMediaId', null)} />
    </Card>
  );
}

/** The data of a product that nobody edits. */
export function FactsCard({ product }: { product: Product }) {
  const words = useProductTexts();
  const common = useCommon();
  const formats = useFormats();
  return (
    <Card title={words.facts}>
      <Facts
        facts={[
          [words.number, product.number],
          [common.created, formats.dateTime(product.createdAt)],
          [common.updated, formats.dateTime(product.updatedAt)],
          ['ID', <code key="id">{product.id}</code>],
        ]}
      />
    </Card>
  );
}
