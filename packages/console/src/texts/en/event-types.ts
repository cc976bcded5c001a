import type { Compiled } from '../messages.ts';

/** Names of event types and descriptions of what happened (`store-api.md 6.1`). */
const words = {
  groups: {
    order: 'Orders',
    payment: 'Payments',
    fulfillment: 'Fulfilments',
    refund: 'Refunds',
    return: 'Returns',
    customer: 'Customers',
    product: 'Products',
    category: 'Categories',
    page: 'Pages',
    form: 'Forms',
    course: 'Courses',
  },
  types: {
    'order.created': 'Order placed',
    'order.updated': 'Order updated',
    'payment.updated': 'Payment updated',
    'fulfillment.created': 'Fulfilment created',
    'fulfillment.updated': 'Fulfilment updated',
    'document.issued': 'Document issued',
    'refund.created': 'Refund created',
    'return.updated': 'Return updated',
    'customer.created': 'Customer created',
    'customer.updated': 'Customer updated',
    'customer.deleted': 'Customer deleted',
    'product.created': 'Product created',
    'product.updated': 'Product updated',
    'product.deleted': 'Product deleted',
    'category.created': 'Category added',
    'category.updated': 'Category changed',
    'category.deleted': 'Category deleted',
    'page.published': 'Page published',
    'page.unpublished': 'Page unpublished',
    'form.submitted': 'Form submitted',
    'course.enrolled': 'Student enrolled',
    'course.revoked': 'Course access revoked',
  },
  deliveryStatus: {
    pending: 'Waiting',
    retrying: 'Retrying',
    delivered: 'Delivered',
    dead: 'Failed',
    cancelled: 'Cancelled',
  },
} as const;

export default words;
export type EventTypeWords = Compiled<typeof words>;
