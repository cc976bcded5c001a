/** What events tell of, and what each says has happened; `store-api.md 6.1`. */
const words = {
  groups: {
    order: 'Orders',
    customer: 'Customers',
    product: 'Products',
    page: 'Pages',
    form: 'Forms',
    course: 'Courses',
  },
  types: {
    'order.created': 'Order placed',
    'order.updated': 'Order changed',
    'customer.created': 'Customer added',
    'customer.updated': 'Customer changed',
    'customer.deleted': 'Customer deleted',
    'product.created': 'Product added',
    'product.updated': 'Product changed',
    'product.deleted': 'Product deleted',
    'page.published': 'Page published',
    'page.unpublished': 'Page taken offline',
    'form.submitted': 'Form sent in',
    'course.enrolled': 'Student enrolled',
    'course.revoked': 'Access to a course taken back',
  },
  deliveryStatus: {
    pending: 'Waiting',
    retrying: 'Retrying',
    delivered: 'Delivered',
    dead: 'Given up',
    cancelled: 'Cancelled',
  },
};

export default words;
export type EventTypeWords = typeof words;
