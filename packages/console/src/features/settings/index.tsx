export { CheckoutSettings } from './checkout.tsx';
export { CustomFieldSettings } from './custom-fields.tsx';
export { DomainSettings } from './domains.tsx';
export { GeneralSettings } from './general.tsx';
export { LanguageSettings } from './languages.tsx';
export { NotificationSettings } from './notifications.tsx';
