import { runService } from '@waybill/kernel';
import { media } from './index.ts';

runService(media);
